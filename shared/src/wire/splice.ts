/**
 * Rebuilding the message list of a body by splicing its own text.
 *
 * Two kept messages that were neighbours keep the exact separator between them; other neighbours get the separator that stood
 * before the later one. Nothing outside the list is touched, and the client's last message always stays, and stays last: a plan
 * that says otherwise is followed only as far as that holds.
 */
import { type JsonNode, member, parseJson } from '#base/json';
import type { Exchange } from '#neutral/message';
import type { RenderPlan } from './wire.ts';

/** One step of the outgoing list: a message of the client or a block of ours. */
export type Step =
  | { readonly kind: 'message'; readonly index: number }
  | { readonly kind: 'block'; readonly text: string; readonly before: number };

/** One element of the outgoing list; `place` is the message it is or stands before. */
export interface Element {
  readonly text: string;
  readonly place: number;
}

/** True when the plan changes nothing, so that the body is the source itself. */
export function isEmptyPlan(plan: RenderPlan): boolean {
  return plan.omit.size === 0 && plan.inserts.length === 0;
}

/** The outgoing list in order. */
export function stepsOf(exchange: Exchange, plan: RenderPlan): Step[] {
  const last = exchange.messages.length - 1;
  const steps: Step[] = [];
  let next = 0;
  for (let index = 0; index <= last; index += 1) {
    for (let insert = plan.inserts[next]; insert !== undefined; insert = plan.inserts[next]) {
      if (Math.min(insert.before, last) > index) break;
      steps.push({ kind: 'block', text: insert.text, before: index });
      next += 1;
    }
    if (index === last || !plan.omit.has(index)) steps.push({ kind: 'message', index });
  }
  return steps;
}

/** The client's own text of one message. */
export function sliceOf(exchange: Exchange, index: number): string {
  const span = exchange.messages[index]?.source;
  return span === undefined ? '' : exchange.source.slice(span.start, span.end);
}

/** The steps with the client's first message after all, where the user opened the history and now somebody else would. */
export function openingKept(exchange: Exchange, steps: readonly Step[]): readonly Step[] {
  const [first] = steps;
  const opens = first?.kind === 'message' && exchange.messages[first.index]?.role !== 'user';
  return opens && exchange.messages[0]?.role === 'user' ? [{ kind: 'message', index: 0 }, ...steps] : steps;
}

/** A client's message taken apart for merging; offsets of `content` count in `source`. */
export interface Taken {
  readonly source: string;
  readonly content: Extract<JsonNode, { kind: 'string' | 'array' }>;
}

/** The message taken apart, or null when its content (under `key`) can take nothing further. */
export function takeApart(source: string, key = 'content'): Taken | null {
  const root = parseJson(source)?.root;
  if (root?.kind !== 'object' || root.duplicate) return null;
  const content = member(root, key);
  return content?.kind === 'string' || content?.kind === 'array' ? { source, content } : null;
}

/** The body with its message list made of these elements. */
export function spliceList(exchange: Exchange, elements: readonly Element[]): string {
  const { source, messages } = exchange;
  const first = messages[0];
  const last = messages.at(-1);
  if (first === undefined || last === undefined) return source;
  const pieces = [source.slice(0, first.source.start)];
  for (const [position, element] of elements.entries()) {
    if (position > 0) pieces.push(separatorBefore(exchange, element.place));
    pieces.push(element.text);
  }
  pieces.push(source.slice(last.source.end));
  return pieces.join('');
}

function separatorBefore(exchange: Exchange, place: number): string {
  const later = Math.max(place, 1);
  const before = exchange.messages[later - 1];
  const after = exchange.messages[later];
  return before && after ? exchange.source.slice(before.source.end, after.source.start) : ',';
}
