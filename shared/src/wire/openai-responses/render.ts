/**
 * A Responses body with a plan applied.
 *
 * A block is a user message item without an id, between the client's own items, which stay as they are. What one answer left behind
 * (its reasoning, calls and text: a run of the model's items) is kept or left out together when there is reasoning in it, because a
 * server that finds reasoning without its follower, or the follower without its reasoning, refuses the request.
 *
 * A string input is one message and stays a string: it has no history to fold, and a block still meant for it joins its text.
 */
import { quote } from '#base/canonical';
import type { Exchange, Message } from '#neutral/message';
import { type Element, isEmptyPlan, sliceOf, spliceList, stepsOf } from '../splice.ts';
import type { RenderPlan } from '../wire.ts';

/** What stands between a block and the string it joins. */
const GAP = '\n\n';

/** The outgoing body: splices of the source, or the source itself when the plan is empty. */
export function render(exchange: Exchange, plan: RenderPlan): string {
  if (isEmptyPlan(plan)) return exchange.source;
  if (exchange.source[exchange.list.start] === '"') return withText(exchange, plan);
  const elements = stepsOf(exchange, kept(exchange.messages, plan)).map(
    (step): Element =>
      step.kind === 'message'
        ? { text: sliceOf(exchange, step.index), place: step.index }
        : { text: `{"type":"message","role":"user","content":${quote(step.text)}}`, place: step.before },
  );
  return spliceList(exchange, elements);
}

function withText({ source, list }: Exchange, plan: RenderPlan): string {
  const front = plan.inserts.map((insert) => quote(insert.text + GAP).slice(1, -1)).join('');
  return source.slice(0, list.start + 1) + front + source.slice(list.start + 1);
}

/** The plan as far as it parts nothing: no run with reasoning is cut, and no block stands inside one or after the newest words. */
function kept(messages: readonly Message[], plan: RenderPlan): RenderPlan {
  const omit = new Set(plan.omit);
  const starts = messages.map((_, index) => index);
  for (let first = 0; first < messages.length; ) {
    let end = first + 1;
    if (messages[first]?.role === 'assistant') while (messages[end]?.role === 'assistant') end += 1;
    const run = messages.slice(first, end);
    if (run.length > 1 && run.some((message) => message.parts.some((part) => part.kind === 'reasoning'))) {
      const whole = end < messages.length && run.every((message) => omit.has(message.index));
      for (const { index } of run) {
        starts[index] = first;
        if (!whole) omit.delete(index);
      }
    }
    first = end;
  }
  const newest = messages.findLastIndex((message) => message.role === 'user');
  const latest = newest < 0 ? messages.length : newest;
  const inserts = plan.inserts.map(({ before, text }) => ({ before: starts[Math.min(before, latest)] ?? before, text }));
  return { omit, inserts };
}
