/**
 * A Gemini body with a plan applied.
 *
 * Blocks join the parts of the user content that follows them, else of the one before them, and are a user content of their own
 * between others. Everything of the client stays as it is, so that a signature never leaves its part; a user content only gains parts.
 *
 * Results must come right after their calls: a block never stands between them but before the model's turn, and joins no content that
 * holds results. A history that opens with the user still does. Blocks never follow the words of the newest user content.
 */
import { quote } from '#base/canonical';
import type { Exchange } from '#neutral/message';
import {
  type Element,
  isEmptyPlan,
  openingKept,
  type Step,
  sliceOf,
  spliceList,
  stepsOf,
  type Taken,
  takeApart,
} from '../splice.ts';
import type { RenderPlan } from '../wire.ts';

/** The outgoing body: splices of the source, or the source itself when the plan is empty. */
export function render(exchange: Exchange, plan: RenderPlan): string {
  if (isEmptyPlan(plan)) return exchange.source;
  const newest = exchange.messages.findLastIndex(
    ({ role, parts }) => role === 'user' && parts.some(({ kind }) => kind !== 'result'),
  );
  const elements: Element[] = [];
  let waiting: string[] = [];
  let place = 0;
  /** The user content sent last, when nothing else was sent since and blocks may stand behind its words. */
  let before: Taken | null = null;
  for (const step of openingKept(exchange, withPairsWhole(exchange, stepsOf(exchange, plan)))) {
    if (step.kind === 'block') {
      if (waiting.length === 0) place = step.before;
      waiting.push(step.text);
      continue;
    }
    const source = sliceOf(exchange, step.index);
    const taken = takesBlocks(exchange, step.index) ? takeApart(source, 'parts') : null;
    const joins = taken?.content.kind === 'array' ? taken : null;
    const text: string = joins === null ? source : withBlocks(joins, waiting, 'front');
    if (waiting.length > 0 && joins === null) {
      if (before === null) elements.push({ text: `{"role":"user","parts":[${textParts(waiting)}]}`, place });
      else elements.push({ text: withBlocks(before, waiting, 'back'), place: elements.pop()?.place ?? place });
    }
    elements.push({ text, place: step.index });
    before = joins !== null && step.index < newest ? takeApart(text, 'parts') : null;
    waiting = [];
  }
  return spliceList(exchange, elements);
}

/** True when the content is the user's and answers no call. */
function takesBlocks(exchange: Exchange, index: number): boolean {
  return exchange.messages[index]?.role === 'user' && !hasPart(exchange, index, 'result');
}

function hasPart(exchange: Exchange, index: number, kind: 'call' | 'result'): boolean {
  return exchange.messages[index]?.parts.some((part) => part.kind === kind) ?? false;
}

/** The steps with every block that stands between calls and their results moved before the turn that called. */
function withPairsWhole(exchange: Exchange, steps: readonly Step[]): Step[] {
  const out: Step[] = [];
  const isResult = (step: Step): boolean => step.kind === 'message' && hasPart(exchange, step.index, 'result');
  const isModel = (step: Step): boolean => step.kind === 'message' && exchange.messages[step.index]?.role === 'assistant';
  for (const step of steps) {
    out.push(step);
    if (!isResult(step)) continue;
    let from = out.length - 1;
    const back = (belongs: (earlier: Step) => boolean): void => {
      for (let earlier = out[from - 1]; earlier && (earlier.kind === 'block' || belongs(earlier)); earlier = out[from - 1])
        from -= 1;
    };
    back(isResult);
    back(isModel);
    const turn = out.slice(from);
    const blocks = turn.filter(({ kind }) => kind === 'block');
    const called = turn.some((one) => one.kind === 'message' && hasPart(exchange, one.index, 'call'));
    if (blocks.length > 0 && called) out.splice(from, turn.length, ...blocks, ...turn.filter(({ kind }) => kind === 'message'));
  }
  return out;
}

function textParts(blocks: readonly string[]): string {
  return blocks.map((text) => `{"text":${quote(text)}}`).join(',');
}

/** The content with these blocks in front of or behind its own parts. */
function withBlocks({ source, content }: Taken, blocks: readonly string[], side: 'front' | 'back'): string {
  if (blocks.length === 0 || content.kind !== 'array') return source;
  const put = (at: number, text: string): string => source.slice(0, at) + text + source.slice(at);
  const parts = textParts(blocks);
  const item = side === 'front' ? content.items[0] : content.items.at(-1);
  if (item === undefined) return put(content.start + 1, parts);
  return side === 'front' ? put(item.start, `${parts},`) : put(item.end, `,${parts}`);
}
