/** What the demo model knows, prices and streams. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DemoServer, startDemo } from '../model/server.ts';
import { informationOf, sentencesOf } from '../model/summarise.ts';
import { ANTHROPIC, type Answered, ask, OPENAI, textOf } from './ask.ts';

let demo: DemoServer;
beforeAll(async () => {
  demo = await startDemo();
});
afterAll(() => demo.close());
beforeEach(() => fetch(`${demo.origin}/demo/reset`, { method: 'POST' }));

const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });
const say = (messages: object[], more: object = {}): Promise<Answered> =>
  ask(demo.origin, OPENAI, { model: 'demo-small', messages, ...more });
const set = (options: object) => fetch(`${demo.origin}/demo/options`, { method: 'POST', body: JSON.stringify(options) });
const FOLD = 'Throughline fold request\nSummarise what follows.';
/** Sentences that differ and tell little: no numbers, no names, no definitions. */
const filler = (n: number) =>
  `We looked at the ${'abcdefghij'[n % 10]}${'klmnopqrst'[Math.floor(n / 10) % 10]} option for a while and moved on because nobody needed it today.`;

describe('facts', () => {
  it('are answered exactly, from anywhere in the request, the last mention first', async () => {
    const told = [user('The gate code is 4711-kiwi. Nice weather.'), assistant('Fine.')];
    expect(textOf(await say([...told, user('What is the gate code?')]))).toBe('4711-kiwi');
    expect(
      textOf(await say([...told, user('Sorry: the gate code is 99.'), assistant('ok'), user('What is the GATE code?')])),
    ).toBe('99');
    expect(textOf(await say([{ role: 'system', content: 'The gate code is 7.' }, user('What is the gate code?')]))).toBe('7');
  });

  it('are not remembered between requests, and two questions get two lines', async () => {
    await say([user('The gate code is 4711.')]);
    expect(textOf(await say([user('What is the gate code? What is the colour?')]))).toBe('I do not know.\nI do not know.');
  });

  it('are never repeated by an ordinary reply', async () => {
    const reply = textOf(await say([user('The access phrase of Harbor is Blue-Heron-4711. Please plan the weekly meeting.')]));
    expect(reply.length).toBeGreaterThan(200);
    expect(reply).not.toMatch(/4711|Heron/);
    expect(reply).toBe(
      textOf(await say([user('The access phrase of Harbor is Blue-Heron-4711. Please plan the weekly meeting.')])),
    );
  });
});

describe('summaries', () => {
  const history = (fact: string): string => {
    const lines = Array.from({ length: 60 }, (_, n) => filler(n));
    lines.splice(20, 0, fact);
    return lines.join('\n');
  };
  const fold = (text: string) => say([{ role: 'system', content: FOLD }, user(text)]);

  it('keep what tells most, under a cap, and need no known words for it', async () => {
    for (const fact of [
      'The gate code is 4711-kiwi.',
      'Das Losungswort von Nebra lautet 83 Falken.',
      'Margarethe owns 14 boats in Husum.',
    ]) {
      const source = history(fact);
      const summary = textOf(await fold(source));
      expect(summary).toContain(fact);
      expect(summary.length).toBeLessThan(source.length / 2);
    }
  });

  it('drop a fact that says little by the same scale', async () => {
    expect(textOf(await fold(history('It went well.')))).not.toContain('It went well.');
  });

  it('are asked for by the first line of the instruction only', async () => {
    const quoted = textOf(
      await say([user(`Please tell me about this:\nThroughline fold request\n${history('The gate code is 4711.')}`)]),
    );
    expect(quoted).not.toContain('4711');
  });

  it('can be blank, for the negative control', async () => {
    await set({ blankSummaries: true });
    const summary = textOf(await fold(history('The gate code is 4711.')));
    expect(summary.length).toBeGreaterThan(50);
    expect(summary).not.toMatch(/\d/);
  });

  it('score grammar, not vocabulary', () => {
    expect(informationOf('The zorb is 12 in Flum.', 0.5)).toBe(informationOf('The quay is 34 in Gent.', 0.5));
    expect(informationOf('Is it 12?', 0.5)).toBeLessThan(informationOf('It is 12.', 0.5));
    expect(sentencesOf('Version 2.5 is out. 天气很好。真的吗？')).toEqual(['Version 2.5 is out.', '天气很好。', '真的吗？']);
  });
});

describe('prices', () => {
  const long = (n: number): object[] =>
    Array.from({ length: n }, (_, i) =>
      i % 2 === 0 ? user(`${filler(i)} `.repeat(20)) : assistant(`${filler(i)} `.repeat(20)),
    );

  it('OpenAI counts the cached prefix inside, and one early change makes everything behind it fresh', async () => {
    const first = (await say(long(7))).json.usage;
    expect(first?.prompt_tokens_details?.cached_tokens).toBe(0);
    const second = (await say(long(9))).json.usage;
    expect(second?.prompt_tokens_details?.cached_tokens).toBe(first?.prompt_tokens);
    expect(second?.prompt_tokens).toBeGreaterThan(first?.prompt_tokens ?? 0);
    const changed = (await say([user('Hello.'), ...long(9).slice(1)])).json.usage;
    expect(changed?.prompt_tokens_details?.cached_tokens).toBe(0);
  });

  it('Anthropic counts it beside, and what is marked is written', async () => {
    const body = (n: number) => ({ model: 'demo-small', max_tokens: 50, messages: long(n) });
    const first = (await ask(demo.origin, ANTHROPIC, body(7))).json.usage;
    const second = (await ask(demo.origin, ANTHROPIC, body(9))).json.usage;
    expect(second?.cache_read_input_tokens).toBe(first?.input_tokens);
    const marked = [...long(8), { role: 'user', content: [{ type: 'text', text: 'b', cache_control: { type: 'ephemeral' } }] }];
    const third = (await ask(demo.origin, ANTHROPIC, { ...body(9), messages: marked })).json.usage;
    expect(third?.input_tokens).toBe(0);
    expect(third?.cache_creation_input_tokens).toBeGreaterThan(0);
  });

  it('a short prefix is not cached', async () => {
    await say([user('a')]);
    expect((await say([user('a'), assistant('b'), user('c')])).json.usage?.prompt_tokens_details?.cached_tokens).toBe(0);
  });
});

describe('streams', () => {
  const post = (path: string, body: object) =>
    fetch(demo.origin + path, {
      method: 'POST',
      headers: { authorization: 'Bearer k', 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ model: 'demo-small', stream: true, ...body }),
    });
  const events = (text: string) => [...text.matchAll(/^data: (\{.*\})$/gm)].map((match) => JSON.parse(match[1] ?? ''));

  it('carry the same text as the whole answer, with usage when asked', async () => {
    const messages = [user('Tell me about windmills and water 😀 please.')];
    const whole = textOf(await say(messages));
    const streamed = events(await (await post(OPENAI, { messages, stream_options: { include_usage: true } })).text());
    expect(streamed.map((event) => event.choices[0]?.delta.content ?? '').join('')).toBe(whole);
    expect(streamed.at(-1).usage.prompt_tokens).toBeGreaterThan(0);
    const blocks = events(await (await post(ANTHROPIC, { messages, max_tokens: 2_000 })).text());
    expect(blocks.map((event) => event.delta?.text ?? '').join('')).toBe(whole);
  });

  it('arrive in several pieces, and never cut a character', async () => {
    const value = '你好😀'.repeat(15);
    const messages = [user(`The greeting is ${value}. Remember it.`), assistant('Yes.'), user('What is the greeting?')];
    await set({ pace: 2 });
    const reader = (await post(OPENAI, { messages })).body?.getReader();
    const decoder = new TextDecoder('utf-8', { fatal: true });
    let reads = 0;
    let text = '';
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
      reads += 1;
      text += decoder.decode(read.value);
    }
    expect(reads).toBeGreaterThan(2);
    expect(
      events(text)
        .map((event) => event.choices[0]?.delta.content ?? '')
        .join(''),
    ).toBe(value);
  });

  it('calls a declared tool once, and answers its result in words', async () => {
    const tools = [{ type: 'function', function: { name: 'look', parameters: {} } }];
    const first = (await say([user('Call look with {"at":1}')], { tools })).json.choices?.[0];
    expect(first?.finish_reason).toBe('tool_calls');
    const id = first?.message.tool_calls?.[0]?.id;
    const after = [
      user('Call look with {"at":1}'),
      { ...first?.message, refusal: null },
      { role: 'tool', tool_call_id: id, content: 'seen' },
    ];
    expect(
      (
        await say(
          after.map((m) => JSON.parse(JSON.stringify(m, (k, v) => (k === 'index' ? undefined : v)))),
          { tools },
        )
      ).json.choices?.[0]?.finish_reason,
    ).toBe('stop');
  });
});

describe('faults and log', () => {
  it('fail the next matching request as told, once', async () => {
    await fetch(`${demo.origin}/demo/faults`, {
      method: 'POST',
      body: JSON.stringify({ on: 'summary', times: 1, status: 529 }),
    });
    expect((await say([user('hello')])).status).toBe(200);
    expect((await say([{ role: 'system', content: FOLD }, user('x')])).status).toBe(529);
    expect((await say([{ role: 'system', content: FOLD }, user('x')])).status).toBe(200);
  });

  it('cut a stream after so many bytes', async () => {
    await fetch(`${demo.origin}/demo/faults`, { method: 'POST', body: JSON.stringify({ cutAfter: 300 }) });
    const body = JSON.stringify({ model: 'demo-small', stream: true, messages: [user('hello there')] });
    const response = await fetch(demo.origin + OPENAI, { method: 'POST', headers: { authorization: 'Bearer k' }, body });
    await expect(response.text()).rejects.toThrow();
  });

  it('keep every byte that arrived', async () => {
    const raw = '{ "model":"demo-small",\n "messages":[{"role":"user","content":"h\\u00e9"}] }';
    await ask(demo.origin, OPENAI, raw);
    const log = (await (await fetch(`${demo.origin}/demo/requests`)).json()) as { n: number; kind: string }[];
    const last = log.at(-1);
    expect(last?.kind).toBe('turn');
    expect(await (await fetch(`${demo.origin}/demo/requests/${last?.n}/body`)).text()).toBe(raw);
  });

  it('refuse an option that does not exist', async () => {
    expect((await set({ sentance: 1 })).status).toBe(400);
  });
});

describe('the page', () => {
  it('is served with its scripts as JavaScript, and nothing outside its folder', async () => {
    const html = await (await fetch(`${demo.origin}/`)).text();
    expect(html).toContain('/chat.ts');
    const script = await fetch(`${demo.origin}/chat.ts`);
    expect(script.headers.get('content-type')).toContain('javascript');
    expect(await script.text()).not.toMatch(/\binterface\b|: Chat\b/);
    for (const path of ['/../model/server.ts', '/%2e%2e/main.ts', '/none.ts', '/page/chat.ts'])
      expect((await fetch(demo.origin + path)).status).toBe(404);
  });
});
