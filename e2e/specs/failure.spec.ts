/**
 * Never worse than not installed: what the page gets when something of ours is missing, dies or is slow.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Conversation, send } from '../fixtures/chat.ts';
import { startBrowser } from '../fixtures/chromium.ts';
import type { Recorded } from '../fixtures/front.ts';
import { gate, pause, until } from '../fixtures/process.ts';
import { startWorld, type World } from '../fixtures/world.ts';

/** What a provider sees of a request, without what no two connections share. */
function seen(request: Recorded): unknown {
  const headers: [string, string][] = [];
  for (let i = 0; i < request.rawHeaders.length; i += 2)
    headers.push([(request.rawHeaders[i] as string).toLowerCase(), request.rawHeaders[i + 1] as string]);
  return { method: request.method, url: request.url, headers: headers.sort(), body: request.body.toString('latin1') };
}

describe('companion absent', () => {
  test('fifty requests reach the provider byte-identical to those of a browser without the extension', async () => {
    const world = await startWorld({ companion: false });
    const bare = await startBrowser({ build: null, hosts: ['chat.test'] });
    try {
      const ask = async (open: () => Promise<import('playwright').Page>) => {
        const page = await open();
        const chat = new Conversation(page, {}, 'You are brief. “Quotes”, tabs\tand 漢字 stay.');
        const from = world.front.recorded.length;
        for (let turn = 0; turn < 25; turn++) {
          await chat.say(`Question ${turn}:  two  spaces, é, \u{1F469}‍\u{1F4BB} and ${'x'.repeat(turn * 40)}`, {
            stream: turn % 2 === 0,
            wire: turn % 3 === 0 ? 'anthropic-messages' : 'openai-chat',
          });
          await send(page, [], {
            rawBody: `{ "model" : "demo-small",\n "messages" : [ {"content": "pretty ${turn}", "role":"user"} ] }`,
          });
        }
        await page.close();
        return world.front.recorded.slice(from).map(seen);
      };
      const ours = await ask(() => world.open());
      const theirs = await ask(async () => {
        const page = await bare.context.newPage();
        await page.goto(world.site);
        return page;
      });
      expect(ours).toHaveLength(50);
      expect(ours).toEqual(theirs);
    } finally {
      await bare.close();
      await world.dispose();
    }
  });
});

describe('companion killed', () => {
  let world: World;
  const look = () =>
    world.browser.ask<{
      companion: string;
      session: { session: string; stats: { possibleDoubleBills: number; requests: number } };
    }>({
      verb: 'snapshot',
      site: world.site,
      tab: null,
    });
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world?.dispose());
  beforeEach(async () => {
    if (world.companion.running.child.exitCode === null && world.companion.running.child.signalCode === null) return;
    world.companion = await world.companion.restart();
    await until('the extension finds the restarted companion', async () => (await look()).companion === 'connected');
  });

  test('before a request: the request goes out natively, once, and the page gets its answer', async () => {
    const page = await world.open();
    const chat = new Conversation(page);
    expect((await chat.say('Please describe a schooner to me.')).ok).toBe(true);
    await world.companion.running.kill();
    const from = world.front.recorded.length;
    const reply = await chat.say('And how many masts has it?');
    expect(reply).toMatchObject({ ok: true, error: null });
    expect(reply.text.length).toBeGreaterThan(0);
    expect(world.front.recorded.length).toBe(from + 1);
    await page.close();
  });

  test('after dispatch and before the first byte: native once, and the possible double bill is counted', async () => {
    const page = await world.open();
    const chat = new Conversation(page);
    await chat.say('Please describe a ketch to me.');
    const from = world.front.recorded.length;
    const hold = gate();
    world.front.fault({ kind: 'hold', until: hold.opened });
    const pending = chat.say('And a yawl?');
    await until('the request arrives', () => world.front.recorded.length > from);
    await world.companion.running.kill();
    const reply = await pending;
    hold.open();
    expect(reply).toMatchObject({ ok: true, error: null });
    expect(world.front.recorded.length).toBe(from + 2);
    const first = world.front.recorded[from] as Recorded;
    const second = world.front.recorded[from + 1] as Recorded;
    expect(second.body.equals(first.body)).toBe(true);
    const { session } = await look();
    expect(session.stats.possibleDoubleBills).toBe(1);
    await page.close();
  });

  test('in the middle of a reply: true bytes, then an honest network error, nothing sent twice; the next turn works', async () => {
    const page = await world.open();
    const chat = new Conversation(page);
    await chat.say('Please describe a barque to me.');
    const from = world.front.recorded.length;
    const hold = gate();
    world.front.fault({ kind: 'hold-after', bytes: 200, until: hold.opened });
    const pending = chat.say('And a brig, in detail?');
    await until('the reply begins', () => (world.front.recorded[from]?.pieces.length ?? 0) > 0);
    await pause(200);
    await world.companion.running.kill();
    const reply = await pending;
    hold.open();
    expect(reply.error).toMatch(/^TypeError/);
    const true_ = Buffer.concat((world.front.recorded[from] as Recorded).pieces).toString('latin1');
    expect(reply.reads.length).toBeGreaterThan(0);
    expect(true_.startsWith(reply.reads.join(''))).toBe(true);
    expect(world.front.recorded.length).toBe(from + 1);
    expect((await chat.say('Once more, please.')).ok).toBe(true);
    await page.close();
  });

  test('frozen: the request goes out natively, and works again after the thaw', async () => {
    const page = await world.open();
    const chat = new Conversation(page);
    await chat.say('Please describe a trawler to me.');
    const from = world.front.recorded.length;
    world.companion.running.child.kill('SIGSTOP');
    try {
      expect(await chat.say('And its nets?')).toMatchObject({ ok: true, error: null });
    } finally {
      world.companion.running.child.kill('SIGCONT');
    }
    expect(world.front.recorded.length).toBe(from + 1);
    await until('the extension finds the companion', async () => (await look()).companion === 'connected', 30);
    expect(await chat.say('And its winches?')).toMatchObject({ ok: true, error: null });
    await page.close();
  });

  test('the provider breaks off: true bytes, then an honest network error, nothing sent twice, nothing committed', async () => {
    const page = await world.open();
    const chat = new Conversation(page);
    await chat.say('Please describe a tug to me.');
    await until('the turn is committed', async () => (await look()).session.stats.requests === 1);
    const from = world.front.recorded.length;
    world.front.fault({ kind: 'cut-after', bytes: 300 });
    const reply = await chat.say('And a pilot boat, in detail?');
    expect(reply.error).toMatch(/^TypeError/);
    expect(reply.reads.join('').length).toBeLessThanOrEqual(300);
    expect(world.front.recorded.length).toBe(from + 1);
    expect((await look()).session.stats.requests).toBe(1);
    expect(await chat.say('Once more, please.')).toMatchObject({ ok: true, error: null });
    await page.close();
  });

  test('the companion returns: the same conversation is recognised again', async () => {
    const page = await world.open();
    const chat = new Conversation(page);
    await chat.say('Please describe a dinghy to me.');
    const before = await world.browser.ask<{ session: { session: string } }>({ verb: 'snapshot', site: world.site, tab: null });
    await world.companion.running.kill();
    await chat.say('Is it safe at sea?');
    world.companion = await world.companion.restart();
    await until('the extension finds the companion', async () => (await look()).companion === 'connected');
    await chat.say('And on a lake?');
    const after = await world.browser.ask<{ session: { session: string } }>({ verb: 'snapshot', site: world.site, tab: null });
    expect(after.session.session).toBe(before.session.session);
    await page.close();
  });
});

describe('the extension itself', () => {
  test('its background killed between two turns: the next request works and is recognised', async () => {
    const world = await startWorld();
    try {
      const page = await world.open();
      const chat = new Conversation(page);
      await chat.say('Please describe a lugger to me.');
      const before = await world.browser.ask<{ session: { session: string } }>({
        verb: 'snapshot',
        site: world.site,
        tab: null,
      });
      await world.browser.killBackground();
      expect(await chat.say('And its rig?')).toMatchObject({ ok: true, error: null });
      expect(await chat.say('And its crew?')).toMatchObject({ ok: true, error: null });
      const after = await world.browser.ask<{ session: { session: string } }>({
        verb: 'snapshot',
        site: world.site,
        tab: null,
      });
      expect(after.session.session).toBe(before.session.session);
    } finally {
      await world.dispose();
    }
  });

  test('its background killed while an answer streams: the page is told, never left waiting, and the next request works', async () => {
    const world = await startWorld();
    try {
      const page = await world.open();
      const chat = new Conversation(page);
      await chat.say('Please describe a cog to me.');
      const from = world.front.recorded.length;
      const hold = gate();
      world.front.fault({ kind: 'hold-after', bytes: 200, until: hold.opened });
      const pending = chat.say('And a hulk, in detail?');
      await until('the reply begins', () => (world.front.recorded[from]?.pieces.length ?? 0) > 0);
      await pause(300);
      await world.browser.killBackground();
      const reply = await pending;
      expect(reply.error).toMatch(/^TypeError/);
      await until('the provider sees that nobody listens', () => (world.front.recorded[from] as Recorded).aborted);
      hold.open();
      expect(world.front.recorded.length).toBe(from + 1);
      expect(await chat.say('Once more, please.')).toMatchObject({ ok: true, error: null });
    } finally {
      await world.dispose();
    }
  });
});
