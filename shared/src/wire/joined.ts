/**
 * A body whose blocks join the neighbouring user message, for the wires behind which chat templates stand.
 *
 * Many servers lay the messages into a template that wants user and assistant in turn, so blocks join the user
 * message that follows them, else the one before them, and are a user message of their own only between others. The client's bytes
 * stay: a string content keeps being a string and gains text inside its quotes, a list gains elements. Blocks never follow the
 * words of the newest user message.
 */
import { quote } from '#base/canonical';
import type { Exchange } from '#neutral/message';
import { type Element, isEmptyPlan, sliceOf, spliceList, stepsOf, type Taken, takeApart } from './splice.ts';
import type { RenderPlan } from './wire.ts';

/** What stands between a block and what it is joined with. */
const GAP = '\n\n';

/** The outgoing body: splices of the source, or the source itself when the plan is empty. */
export function renderJoined(exchange: Exchange, plan: RenderPlan): string {
  if (isEmptyPlan(plan)) return exchange.source;
  const newest = exchange.messages.findLastIndex((message) => message.role === 'user');
  const elements: Element[] = [];
  let waiting: string[] = [];
  let place = 0;
  /** The user message sent last, when nothing else was sent since and blocks may stand behind its words. */
  let before: Taken | null = null;
  for (const step of stepsOf(exchange, plan)) {
    if (step.kind === 'block') {
      if (waiting.length === 0) place = step.before;
      waiting.push(step.text);
      continue;
    }
    const source = sliceOf(exchange, step.index);
    const isUser = exchange.messages[step.index]?.role === 'user';
    const taken = isUser ? takeApart(source) : null;
    const text: string = taken === null ? source : withBlocks(taken, waiting, 'front');
    if (waiting.length > 0 && taken === null) {
      if (before === null) elements.push({ text: userMessage(waiting), place });
      else elements.push({ text: withBlocks(before, waiting, 'back'), place: elements.pop()?.place ?? place });
    }
    elements.push({ text, place: step.index });
    before = isUser && step.index < newest ? takeApart(text) : null;
    waiting = [];
  }
  return spliceList(exchange, elements);
}

function userMessage(blocks: readonly string[]): string {
  return `{"role":"user","content":${quote(blocks.join(GAP))}}`;
}

/** The message with these blocks in front of or behind its own content. */
function withBlocks({ source, content }: Taken, blocks: readonly string[], side: 'front' | 'back'): string {
  if (blocks.length === 0) return source;
  const put = (at: number, text: string): string => source.slice(0, at) + text + source.slice(at);
  if (content.kind === 'string') {
    // The token's own characters stay as the client escaped them.
    if (side === 'front') return put(content.start + 1, inner([...blocks, ''].join(GAP)));
    return put(content.end - 1, inner(['', ...blocks].join(GAP)));
  }
  const parts = blocks.map((text) => `{"type":"text","text":${quote(text)}}`).join(',');
  const item = side === 'front' ? content.items[0] : content.items.at(-1);
  if (item === undefined) return put(content.start + 1, parts);
  return side === 'front' ? put(item.start, `${parts},`) : put(item.end, `,${parts}`);
}

/** A text as it stands between the quotes of a JSON string. */
function inner(text: string): string {
  return quote(text).slice(1, -1);
}
