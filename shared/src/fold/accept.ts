/**
 * Whether an answer may become a block.
 *
 * The conversation will rest on this text, so anything doubtful is refused: then nothing changes and the originals keep going out.
 * Every refusal has its code, which the shells count for the back-off and show as one notice.
 */
import type { Answer } from '#wire/wire';
import { messageTokens, SUMMARY_CHARS } from './budget.ts';
import { blockMessage } from './label.ts';
import type { FoldPlan } from './plan.ts';
import { INSTRUCTION_MARK } from './summary.ts';
import { cutText, isWellFormed } from './text.ts';

export type RefusalCode =
  | 'provider-error'
  | 'unfinished'
  | 'tool-call'
  | 'empty'
  | 'too-short'
  | 'too-long'
  | 'not-smaller'
  | 'ill-formed'
  | 'refused'
  | 'echo'
  | 'repetitive';

export type Acceptance =
  | { readonly ok: true; readonly summary: string; readonly topic: string; readonly tokens: number }
  | { readonly ok: false; readonly code: RefusalCode };

/** Stop reasons of every wire that mean "the model had finished". Anything else, also none at all, is unfinished. */
const FINISHED = new Set(['stop', 'end_turn', 'stop_sequence', 'completed', 'complete', 'eos']);

/** Calls written as prose: the ways models spell them when no tool was offered. */
const CALL_PROTOCOL = [
  /<\/?(?:antml:)?(?:tool_calls?|function_calls?|tool_use|invoke|tool_code|tool_response)\b/i,
  /<(?:\||\uff5c)\s?(?:tool|channel|message|start|call|python_tag|plugin|im_start|im_end)/i,
  /\[\/?(?:TOOL_CALLS?|AVAILABLE_TOOLS|TOOL_RESULTS?)\]/,
  /<function[=\s]/i,
  /^\s*(?:```\w*\s*)?[[{]\s*(?:\{\s*)?"(?:name|function|tool|tool_name|arguments|parameters|type)"\s*:/,
  /```tool_(?:code|call)/i,
  /^\s*(?:functions|tools?)\.\w+(?::\d+)?\s*[({]/m,
  /^\s*Action:\s*\S+\s*\n+\s*Action Input:/m,
];

/** An answer to us instead of a summary. */
const REFUSALS =
  /^(?:i['\u2019]?m (?:sorry|unable|not able)|i am (?:sorry|unable|not able)|i (?:can(?:not|['\u2019]?t)|won['\u2019]?t)|(?:i )?apologi[sz]e|my apologies|sorry\b|as an ai\b|unfortunately, i\b|\u62b1\u6b49|\u5bf9\u4e0d\u8d77|\u5f88\u62b1\u6b49|\u6211\u65e0\u6cd5|\u6211\u4e0d\u80fd|\u4f5c\u4e3a\u4e00?\u4e2aai)/i;

// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these must not enter a summary
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffd]/;
const LABEL_LINE = /^\[Earlier conversation, folded: b\d+ .*\]\s*$\n?/gm;
const TOPIC_LINE = /^\s*[*#\s]*(?:topic|\u4e3b\u9898|\u8bdd\u9898)[*\s]*[:\uff1a][*\s]*(.*)$/im;
const TOPIC_CHARS = 80;

/** The text without thinking in front, labels and fences that are ours, and a code fence around the whole. */
function withoutScaffolding(text: string): string {
  let rest = text.replace(/^\s*<(think|thinking)>[\s\S]*?<\/\1>/i, '').replaceAll('\r\n', '\n');
  rest = rest.replace(LABEL_LINE, '');
  // Marks of our prompt and fences of our blocks: a line of tildes, alone or with a ref and a role.
  rest = rest.replace(/^~{3,}(?: (?:end|[mb]\d+ \w+))?[ \t]*$\n?/gm, '').trim();
  const fenced = /^```\w*\n([\s\S]*)\n```$/.exec(rest);
  return (fenced?.[1] ?? rest).trim();
}

/** Topic and summary; without a topic line the summary's own first words are the topic. */
function splitTopic(text: string): { topic: string; summary: string } {
  const newline = text.indexOf('\n');
  const firstLine = newline === -1 ? text : text.slice(0, newline);
  const named = TOPIC_LINE.exec(firstLine)?.[1];
  const summary = named === undefined ? text : text.slice(firstLine.length).trim();
  const words = (named ?? summary.split('\n', 1)[0] ?? '').replace(/[*#`]/g, '').trim();
  return { topic: cutText(words, TOPIC_CHARS).trim(), summary };
}

/** A model that fell into a loop: few different pieces, many times. */
function isRepetitive(text: string): boolean {
  const words = text.split(/\s+/);
  if (words.length >= 20) return new Set(words).size / words.length < 0.15;
  return text.length >= 50 && new Set(text).size < 8;
}

/** The summary in this answer, or why it is none. The stream must have finished, and the text must be a smaller, sound text. */
export function acceptSummary(answer: Omit<Answer, 'usage'>, plan: FoldPlan): Acceptance {
  const refuse = (code: RefusalCode): Acceptance => ({ ok: false, code });
  if (answer.outcome === 'error') return refuse('provider-error');
  if (answer.calls.length > 0) return refuse('tool-call');
  if (answer.outcome !== 'complete' || !FINISHED.has((answer.stop ?? '').toLowerCase())) return refuse('unfinished');
  if (!isWellFormed(answer.text) || CONTROL.test(answer.text)) return refuse('ill-formed');
  if (/^\s*<(think|thinking)>/i.test(answer.text) && !/<\/(think|thinking)>/i.test(answer.text)) return refuse('unfinished');
  const { topic, summary } = splitTopic(withoutScaffolding(answer.text));
  if (summary === '') return refuse('empty');
  if (CALL_PROTOCOL.some((pattern) => pattern.test(summary))) return refuse('tool-call');
  if (summary.includes(INSTRUCTION_MARK)) return refuse('echo');
  if (REFUSALS.test(summary)) return refuse('refused');
  if (summary.length < SUMMARY_CHARS[0]) return refuse('too-short');
  if (summary.length > SUMMARY_CHARS[1]) return refuse('too-long');
  if (isRepetitive(summary)) return refuse('repetitive');
  const tokens = messageTokens(blockMessage({ ...plan, summary }));
  if (tokens * 2 > plan.replaces) return refuse('not-smaller');
  return { ok: true, summary, topic: topic === '' ? plan.blockId : topic, tokens };
}
