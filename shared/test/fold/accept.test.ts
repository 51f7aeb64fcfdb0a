import { describe, expect, it } from 'vitest';
import { acceptSummary } from '#fold/accept';
import { blockMessage } from '#fold/label';
import type { FoldPlan } from '#fold/plan';
import { summaryPrompt } from '#fold/summary';
import type { Answer } from '#wire/wire';
import { assistant, exchangeOf, isPlan, long, planned, SUMMARY, user } from './conversation.ts';

const made = planned(exchangeOf([user(long('q', 400)), assistant(long('a', 400)), user('x'), assistant('y'), user('now')]));
if (!isPlan(made)) throw new Error('a plan was expected');
const plan: FoldPlan = made;
type Given = Omit<Answer, 'usage'>;
const answer = (change: Partial<Given> = {}): Given => ({
  text: `Topic: The plan\n\n${SUMMARY}`,
  reasoning: '',
  calls: [],
  outcome: 'complete',
  stop: 'stop',
  ...change,
});
const said = (text: string): Given => answer({ text });

describe('a sound summary', () => {
  it('is taken with its topic', () => {
    expect(acceptSummary(answer(), plan)).toMatchObject({ ok: true, summary: SUMMARY, topic: 'The plan' });
  });

  it('needs no topic line, and may come in Chinese, in a code fence, or after thinking', () => {
    const chinese =
      '用户与助手讨论了搬家计划，决定在六月十二日出发，预算为三千五百元，原因是夏季车票便宜；尚未确定由谁照看猫，需要在周五之前答复房东。';
    expect(acceptSummary(said(`主题：搬家\n\n${chinese}`), plan)).toMatchObject({ ok: true, summary: chinese, topic: '搬家' });
    expect(acceptSummary(said(SUMMARY), plan)).toMatchObject({ ok: true, summary: SUMMARY });
    expect(acceptSummary(said(`\`\`\`\nTopic: T\n\n${SUMMARY}\n\`\`\``), plan)).toMatchObject({ summary: SUMMARY, topic: 'T' });
    expect(acceptSummary(said(`<think>hm</think>\nTopic: T\n\n${SUMMARY}`), plan)).toMatchObject({ summary: SUMMARY });
    for (const stop of ['end_turn', 'STOP', 'stop_sequence', 'completed']) {
      expect(acceptSummary(answer({ stop }), plan)).toMatchObject({ ok: true });
    }
  });

  it('loses our own scaffolding, so that it is not summarised again and again', () => {
    const block = blockMessage({ ...plan, summary: 'x' }).split('\n')[0];
    const fence = summaryPrompt(plan).user.split('\n').at(-1);
    expect(acceptSummary(said(`${block}\n~~~\n${SUMMARY}\n~~~\n${fence}`), plan)).toMatchObject({ ok: true, summary: SUMMARY });
  });

  it('has a topic that is never half a character', () => {
    const topic = acceptSummary(said(`Topic: ${'a'.repeat(79)}🔥🔥\n\n${SUMMARY}`), plan);
    expect(topic).toMatchObject({ ok: true, topic: 'a'.repeat(79) });
  });
});

const bad: [string, Given][] = [
  ['provider-error', answer({ outcome: 'error' })],
  ['provider-error', answer({ outcome: 'error', text: '' })],
  ['unfinished', answer({ outcome: 'incomplete' })],
  ['unfinished', answer({ outcome: 'incomplete', stop: null })],
  ['unfinished', answer({ stop: null })],
  ['unfinished', answer({ stop: '' })],
  ['unfinished', answer({ stop: 'length' })],
  ['unfinished', answer({ stop: 'max_tokens' })],
  ['unfinished', answer({ stop: 'MAX_TOKENS' })],
  ['unfinished', answer({ stop: 'content_filter' })],
  ['unfinished', answer({ stop: 'SAFETY' })],
  ['unfinished', answer({ stop: 'refusal' })],
  ['unfinished', answer({ stop: 'pause_turn' })],
  ['unfinished', answer({ stop: 'tool_calls' })],
  ['unfinished', answer({ stop: 'length', text: '', reasoning: 'The user wants…' })],
  ['unfinished', said(`<think>${SUMMARY}`)],
  ['tool-call', answer({ calls: [{ name: 'compress', arguments: '{}' }] })],
  ['tool-call', said(`<tool_call>{"name":"f"}</tool_call> ${SUMMARY}`)],
  ['tool-call', said(`${SUMMARY} <function_calls>`)],
  ['tool-call', said(`${SUMMARY} <invoke name="f">`)],
  ['tool-call', said(`<function=search>{"q": 1}</function> ${SUMMARY}`)],
  ['tool-call', said(`<|python_tag|>search(1) ${SUMMARY}`)],
  ['tool-call', said(`<｜tool▁calls▁begin｜> ${SUMMARY}`)],
  ['tool-call', said(`<|channel|>commentary ${SUMMARY}`)],
  ['tool-call', said(`[TOOL_CALLS] ${SUMMARY}`)],
  ['tool-call', said(`{"name": "search", "arguments": {"q": "${SUMMARY}"}}`)],
  ['tool-call', said(`[{"type": "tool_use", "name": "${SUMMARY}"}]`)],
  ['tool-call', said(`functions.search:0({"q": 1}) ${SUMMARY}`)],
  ['tool-call', said(`Action: search\nAction Input: ${SUMMARY}`)],
  ['tool-call', said(`\`\`\`tool_code\n${SUMMARY}\n\`\`\` and more`)],
  ['empty', said('')],
  ['empty', said('  \n\t ')],
  ['empty', said('Topic: only a title')],
  ['empty', answer({ text: '', reasoning: SUMMARY })],
  ['empty', said(`<think>${SUMMARY}</think>`)],
  ['empty', said('~~~\n~~~')],
  ['too-short', said('ok')],
  ['too-short', said(`Topic: ${SUMMARY}\n\nToo short.`)],
  ['too-long', said(long('word', 4000))],
  ['not-smaller', said(long('a', 600))],
  ['not-smaller', said('文'.repeat(400) + long('b', 450))],
  ['ill-formed', said(`${SUMMARY} \ud83d`)],
  ['ill-formed', said(`${SUMMARY} \udd25`)],
  ['ill-formed', said(`${SUMMARY} \u0000`)],
  ['ill-formed', said(`${SUMMARY} \ufffd`)],
  ['ill-formed', said(`${SUMMARY} \u001b[31m`)],
  ['refused', said(`I'm sorry, but I can't summarise this. ${SUMMARY}`)],
  ['refused', said(`I cannot help with that request. ${SUMMARY}`)],
  ['refused', said(`As an AI language model, I am unable to. ${SUMMARY}`)],
  ['refused', said(`Topic: Sorry\n\nSorry, this is not possible. ${SUMMARY}`)],
  ['refused', said(`抱歉，我无法总结这段对话。${'这段对话涉及许多内容与细节请另寻他法。'.repeat(3)}`)],
  ['echo', said(`Throughline fold request\n\nYou condense the earlier part. ${SUMMARY}`)],
  ['repetitive', said('the plan '.repeat(40))],
  ['repetitive', said('='.repeat(80))],
];

describe('a bad summary is refused, with its reason', () => {
  it.each(bad.map(([code, given], index) => ({ code, given, index })))('$index: $code', ({ code, given }) => {
    expect(acceptSummary(given, plan)).toEqual({ ok: false, code });
  });

  it('whatever stands in front of it', () => {
    expect(bad.length).toBeGreaterThanOrEqual(40);
  });
});
