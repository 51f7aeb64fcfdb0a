/**
 * An Anthropic messages body with a plan applied.
 *
 * Where leaving out and putting in brings two messages of one role together, they become one message (merge.ts); messages that
 * stood together in the client's own body are left as they are. A history that opens with the user still does: when a plan would
 * make an assistant message the first, the first message is sent after all.
 */
import type { Exchange, MessageRole } from '#neutral/message';
import { type Element, isEmptyPlan, openingKept, sliceOf, spliceList, stepsOf } from '../splice.ts';
import type { RenderPlan } from '../wire.ts';
import { isMergeable, mergePieces, type Piece } from './merge.ts';

interface Group {
  readonly role: MessageRole;
  readonly place: number;
  /** Index of the group's last client message, or -1. */
  last: number;
  readonly pieces: Piece[];
}

/** The outgoing body: splices of the source, or the source itself when the plan is empty. */
export function render(exchange: Exchange, plan: RenderPlan): string {
  if (isEmptyPlan(plan)) return exchange.source;
  const groups: Group[] = [];
  const mergeable = (index: number): boolean => isMergeable(sliceOf(exchange, index));
  for (const step of openingKept(exchange, stepsOf(exchange, plan))) {
    const group = groups.at(-1);
    if (step.kind === 'block') {
      const piece: Piece = { kind: 'block', text: step.text };
      if (group?.role === 'user' && (group.last < 0 || mergeable(group.last))) group.pieces.push(piece);
      else groups.push({ role: 'user', place: step.before, last: -1, pieces: [piece] });
      continue;
    }
    const role = exchange.messages[step.index]?.role ?? 'unknown';
    const piece: Piece = { kind: 'message', source: sliceOf(exchange, step.index) };
    if (
      group !== undefined &&
      joins(group, role, step.index) &&
      (group.last < 0 || mergeable(group.last)) &&
      mergeable(step.index)
    ) {
      group.pieces.push(piece);
      group.last = step.index;
    } else groups.push({ role, place: step.index, last: step.index, pieces: [piece] });
  }
  const elements = groups.map((group): Element => ({ text: mergePieces(group.pieces), place: group.place }));
  return spliceList(exchange, elements);
}

/** True when a message of this role and index belongs into the group: same role, and only our change put it there. */
function joins(group: Group, role: MessageRole, index: number): boolean {
  return group.role === role && (role === 'user' || role === 'assistant') && (group.last < 0 || group.last !== index - 1);
}
