import { describe, expect, it } from 'vitest';
import { createRelay, MAX_STREAMS } from '../../src/content/relay.ts';
import type { PortLike } from '../../src/content/stream.ts';
import type { BackgroundToContent, ContentToBackground, ContentToPage, PageToContent } from '../../src/messages.ts';

interface FakePort extends PortLike {
  readonly sent: ContentToBackground[];
  say(message: BackgroundToContent): void;
  die(): void;
}

function fakePort(): FakePort {
  const sent: ContentToBackground[] = [];
  let hear: (message: BackgroundToContent) => void = () => undefined;
  let gone: () => void = () => undefined;
  let dead = false;
  return {
    sent,
    postMessage(message) {
      if (dead) throw new Error('Attempting to use a disconnected port object');
      sent.push(message);
    },
    onMessage: (listener) => {
      hear = listener;
    },
    onDisconnect: (listener) => {
      gone = listener;
    },
    say: (message) => hear(message),
    die() {
      dead = true;
      gone();
    },
  };
}

/** The page's end of a channel, without the asynchrony of a real one. */
function fakePage() {
  const heard: ContentToPage[] = [];
  const port = {
    onmessage: null as ((event: { data: PageToContent }) => void) | null,
    postMessage: (m: ContentToPage) => heard.push(m),
  };
  const open = (id: number, text = 'body', url = 'https://a/v1/messages'): void =>
    port.onmessage?.({
      data: {
        t: 'open',
        id,
        request: { url, method: 'POST', headers: [] },
        body: new TextEncoder().encode(text).buffer as ArrayBuffer,
      },
    });
  return { heard, port: port as unknown as MessagePort, say: (data: PageToContent) => port.onmessage?.({ data }), open };
}

function setUp({ carriesBytes = true } = {}) {
  const ports: FakePort[] = [];
  const state = { alive: true, orphaned: 0, ticking: 0, tick: (): void => undefined };
  const relay = createRelay({
    connect() {
      if (!state.alive) throw new Error('Extension context invalidated.');
      const port = fakePort();
      ports.push(port);
      return port;
    },
    alive: () => state.alive,
    carriesBytes,
    document: 'doc',
    origin: 'https://chat.example',
    conversation: () => null,
    onOrphan: () => state.orphaned++,
    every(_, run) {
      state.ticking++;
      state.tick = run;
      return () => state.ticking--;
    },
  });
  const page = fakePage();
  relay.addPage(page.port);
  const port = (index: number): FakePort => ports[index] ?? expect.fail(`no port ${index}`);
  return { relay, page, ports, port, state };
}
const head = (id: number, allowed = '*'): BackgroundToContent => {
  const headers = [['access-control-allow-origin', allowed]] as const;
  return { t: 'head', id, status: 200, statusText: '', headers };
};

describe('the relay', () => {
  it('tells the page at once that it has the request, and hands it over with document and origin', () => {
    const { page, port } = setUp();
    page.open(5);
    expect(page.heard).toEqual([{ t: 'taken', id: 5 }]);
    expect(port(0).sent).toMatchObject([
      {
        t: 'open',
        document: 'doc',
        body: new TextEncoder().encode('body'),
        request: { headers: [['origin', 'https://chat.example']] },
      },
    ]);
  });

  it('carries bytes as base64 where the port knows only JSON, both ways', () => {
    const { page, port } = setUp({ carriesBytes: false });
    page.open(1, 'hi');
    expect(port(0).sent).toMatchObject([{ body: 'aGk=' }]);
    port(0).say(head(1));
    port(0).say({ t: 'chunks', id: 1, chunks: ['AQI=', 'Aw=='] });
    expect(page.heard.at(-1)).toEqual({ t: 'chunks', id: 1, chunks: [new Uint8Array([1, 2]), new Uint8Array([3])] });
  });

  it('reopens once on a new port while nothing was sent, then goes native', () => {
    const { page, ports, port } = setUp();
    page.open(1);
    port(0).die();
    expect(ports.length).toBe(2);
    expect(port(1).sent).toMatchObject([{ t: 'open', id: 1 }]);
    port(1).die();
    expect(page.heard.at(-1)).toEqual({ t: 'native', id: 1, code: 'port-lost' });
    // The third port only tells the popup why.
    expect(ports.length).toBe(3);
    expect(port(2).sent).toEqual([{ t: 'passed', code: 'port-lost', url: 'https://a/v1/messages' }]);
  });

  it('never opens a dispatched request again: native where that is allowed, with a report, else an error', () => {
    const allowed = setUp();
    allowed.page.open(1);
    allowed.port(0).say({ t: 'dispatched', id: 1, resend: true });
    allowed.port(0).die();
    expect(allowed.page.heard.at(-1)).toEqual({ t: 'native', id: 1, code: 'resent' });
    expect(allowed.ports.length).toBe(1);
    allowed.page.say({ t: 'native-done', id: 1, code: 'resent', ok: true, status: 200 });
    expect(allowed.port(1).sent).toEqual([{ t: 'native-done', id: 1, code: 'resent', ok: true, status: 200 }]);

    const forbidden = setUp();
    forbidden.page.open(1);
    forbidden.port(0).say({ t: 'dispatched', id: 1, resend: false });
    forbidden.port(0).die();
    expect(forbidden.page.heard.at(-1)).toMatchObject({ t: 'error', id: 1 });
    expect(forbidden.ports.length).toBe(1);
  });

  it('ends a stream whose background died with an error', () => {
    const { page, port, ports } = setUp();
    page.open(1);
    port(0).say(head(1));
    port(0).die();
    expect(page.heard.at(-1)).toMatchObject({ t: 'error', id: 1 });
    expect(ports.length).toBe(1);
  });

  it('trusts no port of the time before its page was frozen', () => {
    const { page, port, ports, relay } = setUp();
    page.open(1);
    port(0).say({ t: 'dispatched', id: 1, resend: false });
    page.open(2);
    port(0).say(head(2));
    page.open(3);
    relay.thawed();
    expect(page.heard.filter(({ t }) => t === 'error')).toMatchObject([{ id: 1 }, { id: 2 }]);
    expect(ports.length).toBe(2);
    expect(port(1).sent).toMatchObject([{ t: 'open', id: 3 }]);
    port(0).say(head(3));
    page.open(4);
    expect(ports.length).toBe(2);
    expect(port(1).sent.at(-1)).toMatchObject({ t: 'open', id: 4 });
  });

  it('steps aside as an orphan: what was not sent goes native, and the page is told to leave', () => {
    const { page, port, state } = setUp();
    page.open(1);
    state.alive = false;
    port(0).die();
    expect(page.heard).toEqual([{ t: 'taken', id: 1 }, { t: 'native', id: 1, code: 'detached' }, { t: 'detach' }]);
    expect(state.orphaned).toBe(1);

    const idle = setUp();
    idle.state.alive = false;
    idle.page.open(1);
    expect(idle.page.heard).toEqual([{ t: 'taken', id: 1 }, { t: 'native', id: 1, code: 'detached' }, { t: 'detach' }]);
  });

  it('answers what it has when the site is switched off, and takes nothing new', () => {
    const { page, port } = setUp();
    page.open(1);
    port(0).say({ t: 'dispatched', id: 1, resend: true });
    port(0).say({ t: 'detach' });
    page.open(2);
    port(0).say(head(1));
    port(0).say({ t: 'end', id: 1 });
    expect(page.heard).toEqual([
      { t: 'taken', id: 1 },
      { t: 'detach' },
      { t: 'taken', id: 2 },
      { t: 'native', id: 2, code: 'detached' },
      expect.objectContaining({ t: 'head', id: 1 }),
      { t: 'end', id: 1 },
    ]);
  });

  it('keeps the background alive exactly while streams are open', () => {
    const { page, port, state } = setUp();
    expect(state.ticking).toBe(0);
    page.open(1);
    page.open(2);
    expect(state.ticking).toBe(1);
    state.tick();
    expect(port(0).sent.at(-1)).toEqual({ t: 'alive' });
    port(0).say({ t: 'native', id: 1, code: 'x' });
    page.say({ t: 'abort', id: 2 });
    expect(state.ticking).toBe(0);
  });

  it('opens nothing to a port that the browser refuses to pages', () => {
    const { page, ports } = setUp();
    page.open(1, 'body', 'https://mail.example:25/v1/messages');
    expect(page.heard.at(-1)).toEqual({ t: 'native', id: 1, code: 'options' });
    expect(ports).toHaveLength(0);
  });

  it('keeps an answer from the page that its provider does not let it read', () => {
    const { page, port } = setUp();
    page.open(1);
    port(0).say(head(1, 'https://other.example'));
    port(0).say({ t: 'chunks', id: 1, chunks: [new Uint8Array([1])] });
    expect(page.heard.map(({ t }) => t)).toEqual(['taken', 'error']);
    expect(port(0).sent.at(-1)).toEqual({ t: 'abort', id: 1 });
  });

  it('keeps the ids of two page scripts apart', () => {
    const { relay, page, port } = setUp();
    const second = fakePage();
    relay.addPage(second.port);
    page.open(1, 'a');
    second.open(1, 'b');
    port(0).say(head(2));
    expect(page.heard.map(({ t }) => t)).toEqual(['taken']);
    expect(second.heard.at(-1)).toMatchObject({ t: 'head', id: 1 });
    second.say({ t: 'abort', id: 1 });
    expect(port(0).sent.at(-1)).toEqual({ t: 'abort', id: 2 });
  });

  it('refuses more streams than the protocol has', () => {
    const { page } = setUp();
    for (let id = 1; id <= MAX_STREAMS + 1; id++) page.open(id);
    expect(page.heard.filter(({ t }) => t === 'native')).toEqual([{ t: 'native', id: MAX_STREAMS + 1, code: 'too-many' }]);
  });
});
