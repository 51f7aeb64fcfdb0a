/** Several browsers paired with one companion at once: each has its own sessions, and what happens to one is nothing to the other. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BareBrowser } from '../fixtures/bare.ts';
import { Conversation } from '../fixtures/chat.ts';
import type { Recorded } from '../fixtures/front.ts';
import { anotherBrowser, slowAnswer, wentThroughUs } from '../fixtures/life.ts';
import { until } from '../fixtures/process.ts';
import { type Services, startServices } from '../fixtures/world.ts';

let services: Services;
let browsers: readonly [BareBrowser, BareBrowser];
beforeAll(async () => {
  services = await startServices();
  browsers = [await anotherBrowser(services), await anotherBrowser(services)];
});
afterAll(async () => {
  for (const browser of browsers ?? []) await browser.close();
  await services?.dispose();
});

interface Line {
  readonly session: string;
  readonly scope: string;
  readonly title: string;
  readonly stats: { readonly requests: number };
}
const held = async () => JSON.parse(await services.companion.cli('sessions', '--json')).sessions as Line[];
const shown = (browser: BareBrowser) => browser.ask<Line[]>({ verb: 'sessions', query: '', site: null, limit: 50 });
const connected = async (browser: BareBrowser) =>
  (await browser.ask<{ companion: string }>({ verb: 'snapshot', site: services.site, tab: null })).companion;
const chatIn = async (browser: BareBrowser) => new Conversation(await browser.open(`${services.site}/`));
const newest = () => services.front.recorded.at(-1) as Recorded;

const QUESTION = 'Please describe a galleon to me.';

describe('two browsers at once', () => {
  test('the same conversation in both is two sessions of two scopes, and each panel shows its own', async () => {
    const chats = [await chatIn(browsers[0]), await chatIn(browsers[1])] as const;
    for (const chat of chats) {
      expect(await chat.say(QUESTION)).toMatchObject({ ok: true, error: null });
      expect(wentThroughUs(newest())).toBe(true);
    }
    // In the order of the other one first, with equal histories: nothing to tell them apart but who asks.
    for (const chat of [...chats].reverse()) expect(await chat.say('And its crew?')).toMatchObject({ ok: true, error: null });
    const all = await until('both are stored', async () => {
      const lines = await held();
      return lines.length === 2 && lines.every(({ stats }) => stats.requests === 2) ? lines : null;
    });
    expect(new Set(all.map(({ scope }) => scope)).size).toBe(2);
    const panels = await Promise.all(browsers.map(shown));
    for (const sessions of panels) expect(sessions).toHaveLength(1);
    expect(panels.map((sessions) => sessions[0]?.session).sort()).toEqual(all.map(({ session }) => session).sort());
  });

  test('both stream at once, and each page reads its own answer', async () => {
    const chats = [await chatIn(browsers[0]), await chatIn(browsers[1])] as const;
    const sent = services.front.recorded.length;
    const asking = [];
    for (const [n, chat] of chats.entries()) {
      services.front.fault({ kind: 'live', pieces: slowAnswer(Array.from({ length: 10 + n }, () => 100)) });
      asking.push(chat.say(`Please describe fleet ${n} to me.`));
      await until('the request arrives', () => services.front.recorded.length > sent + n);
    }
    const replies = await Promise.all(asking);
    for (const [n, reply] of replies.entries()) {
      expect(reply).toMatchObject({ ok: true, error: null });
      expect(reply.text).toBe(Array.from({ length: 10 + n }, (_, word) => `word ${word} `).join(''));
    }
  });

  test('one is unpaired: it goes on natively, the other one through us, and neither sees more than before', async () => {
    const [one, other] = browsers;
    const before = await shown(other);
    await one.ask({ verb: 'unpair' });
    const chats = [await chatIn(one), await chatIn(other)] as const;
    expect(await chats[0].say('Please describe a felucca to me.')).toMatchObject({ ok: true, error: null });
    expect(wentThroughUs(newest())).toBe(false);
    expect(await chats[1].say('Please describe a xebec to me.')).toMatchObject({ ok: true, error: null });
    expect(wentThroughUs(newest())).toBe(true);
    expect([await connected(one), await connected(other)]).toEqual(['never-paired', 'connected']);
    expect((await shown(other)).length).toBe(before.length + 1);
  });

  test('paired again, it finds its own sessions and no others', async () => {
    const [one] = browsers;
    await one.pair(await services.companion.pairLink());
    const scopes = new Set((await held()).map(({ scope }) => scope));
    expect(scopes.size).toBe(2);
    const chat = await chatIn(one);
    expect(await chat.say('Please describe a tartane to me.')).toMatchObject({ ok: true, error: null });
    expect(wentThroughUs(newest())).toBe(true);
    const mine = (await shown(one)).map(({ session }) => session);
    const all = await held();
    const of = all.find(({ session }) => session === mine[0])?.scope;
    expect(mine.sort()).toEqual(
      all
        .filter(({ scope }) => scope === of)
        .map(({ session }) => session)
        .sort(),
    );
  });
});
