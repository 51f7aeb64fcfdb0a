/**
 * The main path in real Firefox: pairing, a site switched on, answers read by read, conversations recognised.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Conversation, type Message, send } from '../../fixtures/chat.ts';
import type { FirefoxBrowser, FirefoxTab } from '../../fixtures/firefox.ts';
import { type FirefoxWorld, readByRead, startBareFirefox, startFirefoxWorld, warmUp } from '../../fixtures/firefox-world.ts';
import type { PageFile } from '../../fixtures/front.ts';
import { wentThroughUs } from '../../fixtures/life.ts';
import { until } from '../../fixtures/process.ts';

/** A page that may connect to its own origin only, and whose very first script asks. */
const STRICT: PageFile = {
  type: 'text/html; charset=utf-8',
  csp: "default-src 'self'; script-src 'self' 'unsafe-inline'; connect-src 'self'",
  body: `<!doctype html><title>strict</title><script>
window.early = fetch('/v1/chat/completions', { method: 'POST', headers: { 'content-type': 'application/json', authorization: 'Bearer sk-demo-key' },
  body: JSON.stringify({ model: 'demo-small', messages: [{ role: 'user', content: 'Asked by the very first script of the page.' }] }) }).then((r) => r.status);
</script><body>strict</body>`,
};

interface Shown {
  readonly session: string;
  readonly stats: { readonly requests: number };
  readonly lineage: unknown;
  readonly why: { readonly via: string; readonly depth: number; readonly incoming: number };
}

let world: FirefoxWorld;
let bare: FirefoxBrowser;
let page: FirefoxTab;
beforeAll(async () => {
  world = await startFirefoxWorld({ pages: new Map([['/strict', STRICT]]) });
  bare = await startBareFirefox(world);
  page = await world.open();
  await warmUp(world, page);
});
afterAll(async () => {
  await bare?.close();
  await world?.dispose();
});

const look = () =>
  world.browser.ask<{ session: Shown | null; live: unknown }>({ verb: 'snapshot', site: world.site, tab: null });
/** The session the popup shows, once nothing is under way any more. */
async function current(): Promise<Shown> {
  await until('nothing is under way', async () => (await look()).live === null);
  const { session } = await look();
  if (!session) throw new Error('no session is shown');
  return session;
}

test("under a policy that allows the page's own origin only, the first script of the page is heard", async () => {
  const strict = await world.open('/strict');
  expect(await strict.evaluate(() => (window as unknown as { early: Promise<number> }).early)).toBe(200);
  expect(wentThroughUs(world.front.recorded.at(-1) as never)).toBe(true);
  const query = { verb: 'sessions', query: 'very first script', site: null, limit: 5 };
  await until('it is remembered', async () => (await world.browser.ask<unknown[]>(query)).length === 1);
  await strict.close();
});

test.each(['openai-chat', 'anthropic-messages'] as const)(
  'a stream reaches the page read by read as it reaches a Firefox without us (%s)',
  async (wire) => {
    const theirs = await bare.open(world.site);
    const { through, native, sent } = await readByRead(world, [page, theirs], (tab) =>
      send(tab, [{ role: 'user', content: 'Please stream me a long answer about rivers.' }], { wire }),
    );
    expect(sent.map(wentThroughUs)).toEqual([true, false]);
    expect(through.reads.length).toBeGreaterThan(5);
    expect(through).toEqual(native);
    expect(sent[0]?.body.equals(sent[1]?.body as Buffer)).toBe(true);
    await theirs.close();
  },
);

test('a growing conversation is one session, matched by its full prefix at every turn', async () => {
  const chat = new Conversation(page, {}, 'You are kind.');
  await chat.say('Tell me about the harbour of Bergen, please.');
  const born = await current();
  expect(born.why.via).toBe('new');
  for (let turn = 1; turn <= 3; turn++) {
    expect(await chat.say(`Thank you. And something else, number ${turn}.`)).toMatchObject({ ok: true, error: null });
    const now = await current();
    expect(now.session).toBe(born.session);
    expect(now.why).toMatchObject({ via: 'prefix', depth: turn * 2 - 1, incoming: turn * 2 + 1 });
  }
});

test('one conversation over two wires is one session', async () => {
  const chat = new Conversation(page);
  await chat.say('Which lighthouse stands at the mouth of the river?');
  const born = await current();
  await chat.say('And who kept it?', { wire: 'anthropic-messages' });
  await chat.say('Until when?');
  expect((await current()).session).toBe(born.session);
});

test('an edited question forks, with its parent and the depth they share; the old line goes on', async () => {
  const chat = new Conversation(page);
  for (const question of ['How do ropes age in salt water?', 'Which fibre lasts longest?', 'How is it spliced?', 'And stored?'])
    await chat.say(question);
  const parent = await current();
  const edited: Message[] = [...chat.messages.slice(0, 4), { role: 'user', content: 'How is it knotted instead?' }];
  await send(page, edited);
  const fork = await current();
  expect(fork.session).not.toBe(parent.session);
  expect(fork.lineage).toEqual({ kind: 'forked', parents: [parent.session], shared: 4 });
  await chat.say('Thanks, and what does it weigh?');
  expect((await current()).session).toBe(parent.session);
});

test('a request for a title beside the conversation is no turn of it', async () => {
  const chat = new Conversation(page, {}, 'You are kind.');
  await chat.say('Which knots hold best on a wet rope?');
  await chat.say('And on an icy one?');
  const before = await current();
  const title =
    '{"model":"demo-small","max_tokens":20,"messages":[{"role":"system","content":"Write a short title for this conversation, five words at most."},{"role":"user","content":"Which knots hold best on a wet rope?"}]}';
  expect(await send(page, [], { rawBody: title })).toMatchObject({ status: 200, error: null });
  await chat.say('Thank you.');
  const after = await current();
  expect(after.session).toBe(before.session);
  expect(after.why).toMatchObject({ via: 'prefix', depth: 3, incoming: 5 });
});
