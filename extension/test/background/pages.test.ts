/** A port of a page: who it is comes from the browser, what it learns natively is remembered, and its end ends its requests. */

import type { TurnOpen } from '@throughline/shared/protocol/frames';
import { describe, expect, it } from 'vitest';
import { createPages, type PagePort } from '../../src/background/pages.ts';
import { createRecall } from '../../src/background/recall.ts';
import {
  type FakeWorld,
  fakeArea,
  fakeWorld,
  frames,
  pageOpen,
  QUESTION,
  SITE,
  settle,
  talk,
  UPSTREAM,
  until,
} from './fakes.ts';

function fakePort(sender: object) {
  const said: { t: string; id?: number; code?: string }[] = [];
  let hear: (message: unknown) => void = () => undefined;
  let leave: () => void = () => undefined;
  const port: PagePort & { closed: boolean } = {
    closed: false,
    sender: sender as chrome.runtime.MessageSender,
    onMessage: {
      addListener: (listen) => {
        hear = listen;
      },
    },
    onDisconnect: {
      addListener: (listen) => {
        leave = listen;
      },
    },
    postMessage: (message) => void said.push(message as never),
    disconnect() {
      port.closed = true;
    },
  };
  return { port, said, say: (message: unknown) => hear(message), leave: () => leave() };
}

const HERE = { id: 'abc', origin: SITE, url: `${SITE}/c/1`, tab: { id: 7 }, frameId: 0 };

function under(world: FakeWorld = fakeWorld(), area = fakeArea()) {
  const told: string[] = [];
  const recall = createRecall(area);
  const accept = createPages({
    extensionId: 'abc',
    bytes: true,
    turns: { ...world, noteDispatch: (open, session) => recall.dispatched(open.key, session) },
    recall,
    enabled: async () => world.facts !== null,
    noteBypass: async (site, upstream) => void told.push(`bypass ${site} ${upstream}`),
    doubleBilled: (session) => void told.push(`double ${session}`),
    onPages: (count) => void told.push(`pages ${count}`),
  });
  const open = (sender: object = HERE) => {
    const made = fakePort(sender);
    accept(made.port);
    return made;
  };
  return { world, told, recall, open, area };
}

const ask = (id: number, messages = talk(QUESTION)) => {
  const { request, body } = pageOpen(messages);
  return { t: 'open', id, request, body, document: 'document-1' };
};
const streams = (world: FakeWorld) =>
  world.link.sent.filter((frame): frame is TurnOpen => frame.t === 'turn.open').map((frame) => frame.stream);

describe('a port', () => {
  it('of another extension, or of no site, is closed unheard', () => {
    const { open, world } = under();
    for (const sender of [
      { ...HERE, id: 'other' },
      { id: 'abc', url: 'about:blank' },
      { id: 'abc', url: 'chrome-extension://abc/x' },
    ]) {
      const { port, say } = open(sender);
      say(ask(1));
      expect(port.closed).toBe(true);
    }
    expect(world.link.sent).toEqual([]);
  });

  it('of a site that was switched off is told to leave, and its request goes native', async () => {
    const world = fakeWorld();
    world.facts = null;
    const { open } = under(world);
    const { said, say } = open();
    say(ask(1));
    await until(() => said.length === 2);
    expect(said).toContainEqual({ t: 'detach' });
    expect(said).toContainEqual({ t: 'native', id: 1, code: 'not-enabled' });
  });

  it('takes an id once while it is open', async () => {
    const { open, world } = under();
    const { say } = open();
    say(ask(1));
    say(ask(1));
    say(ask(2, talk('A question of quite another conversation.')));
    await until(() => streams(world).length > 1);
    await settle();
    expect(streams(world)).toHaveLength(2);
  });

  it('that closes aborts what it asked for, also what was not handed over yet', async () => {
    const { open, world, told } = under();
    const { say, leave } = open();
    say(ask(1));
    await until(() => streams(world).length === 1);
    say(ask(2, talk('A question of quite another conversation.')));
    leave();
    await settle();
    expect(world.link.sent.filter((frame) => frame.t === 'turn.abort').map((frame) => frame.stream)).toEqual([
      streams(world)[0],
    ]);
    world.streams.frame(frames.end(streams(world)[0] as number, 'aborted'));
    expect(world.streams.count()).toBe(0);
    expect(told).toEqual(['pages 1', 'pages 0']);
  });

  it('answers a request it cannot read, so that the page never waits', () => {
    const { open } = under();
    const { said, say } = open();
    say({ t: 'open', id: 9, request: { url: 1 } });
    expect(said).toContainEqual({ t: 'native', id: 9, code: 'internal' });
  });
});

describe('what a page went through natively', () => {
  const denied = async (at: ReturnType<typeof under>) => {
    const page = at.open();
    page.say(ask(1));
    await until(() => streams(at.world).length === 1);
    const [stream] = streams(at.world);
    at.world.streams.frame(frames.dispatched(stream as number));
    at.world.streams.frame(frames.head(stream as number, 403));
    expect(page.said).toContainEqual({ t: 'native', id: 1, code: 'auth-retry' });
    return page;
  };

  it('teaches us to leave an upstream alone, when the browser got through', async () => {
    const at = under();
    const page = await denied(at);
    page.say({ t: 'native-done', id: 1, code: 'auth-retry', ok: true, status: 200 });
    await settle();
    expect(at.told).toContain(`bypass ${SITE} ${UPSTREAM}`);
  });

  it('teaches nothing when the key is simply wrong, or when nobody asked', async () => {
    const at = under();
    const page = await denied(at);
    page.say({ t: 'native-done', id: 1, code: 'auth-retry', ok: false, status: 403 });
    page.say({ t: 'native-done', id: 5, code: 'auth-retry', ok: true, status: 200 });
    await settle();
    expect(at.told.filter((line) => line.startsWith('bypass'))).toEqual([]);
  });

  it('is counted as a possible double bill when the background had died behind dispatch', async () => {
    const at = under();
    const page = at.open();
    page.say(ask(3));
    await until(() => streams(at.world).length === 1);
    at.world.streams.frame(frames.dispatched(streams(at.world)[0] as number));
    await settle();
    const session = (at.world.link.sent[0] as TurnOpen).session;
    // Another life of the background: only storage is left.
    const next = under(fakeWorld(), at.area);
    const again = next.open();
    again.say({ t: 'native-done', id: 3, code: 'resent', ok: true, status: 200 });
    again.say({ t: 'native-done', id: 3, code: 'resent', ok: true, status: 200 });
    await settle();
    expect(next.told.filter((line) => line.startsWith('double'))).toEqual([`double ${session}`]);
  });

  it('is remembered with its reason, and without the query of its URL', async () => {
    const at = under();
    const page = at.open();
    page.say({ t: 'passed', code: 'cookies', url: `${UPSTREAM}/v1/messages?key=SECRET` });
    await settle();
    const { bypasses } = await at.recall.read();
    expect(bypasses['tab 7']).toMatchObject({ code: 'cookies', url: `${UPSTREAM}/v1/messages` });
  });
});
