/**
 * An OpenAI chat body with a plan applied: blocks are user messages of their own (this wire asks for no alternation).
 */
import { quote } from '#base/canonical';
import type { Exchange } from '#neutral/message';
import { isEmptyPlan, sliceOf, spliceList, stepsOf } from '../splice.ts';
import type { RenderPlan } from '../wire.ts';

/** The outgoing body: splices of the source, or the source itself when the plan is empty. */
export function render(exchange: Exchange, plan: RenderPlan): string {
  if (isEmptyPlan(plan)) return exchange.source;
  const elements = stepsOf(exchange, plan).map((step) =>
    step.kind === 'block'
      ? { text: `{"role":"user","content":${quote(step.text)}}`, place: step.before }
      : { text: sliceOf(exchange, step.index), place: step.index },
  );
  return spliceList(exchange, elements);
}
