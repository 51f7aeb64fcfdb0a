/** The link proves the companion before it says anything, and a companion that is gone costs a request nothing. */
import { type CompanionToExtension, type ExtensionToCompanion, PROTOCOL } from '@throughline/shared/protocol/frames';
import { handshakeWords, pairAnswerWords, pairClaimWords } from '@throughline/shared/protocol/pairing';
import { describe, expect, it, vi } from 'vitest';
import { box } from '../../src/background/box.ts';
import { ephemeral, fromHex, mac, macHolds, toHex } from '../../src/background/crypto.ts';
import { fitting } from '../../src/background/fitting.ts';
import { createLink, type LinkWorld } from '../../src/background/link.ts';
import { type Pairing, pair, parsePairLink } from '../../src/background/pairing.ts';
import { fakeArea, settle, until } from './fakes.ts';

const KEY = '11'.repeat(32);
const ORIGIN = 'chrome-extension://abc';
const PAIRING: Pairing = { client: 'browser-1', companionId: 'companion-1', port: 5000, key: KEY, scope: null };

interface Behaviour {
  readonly companionId?: string;
  readonly key?: string;
  readonly port?: number;
  readonly protocol?: readonly [number, number];
  readonly name?: string;
}

/** A companion on one port; `heard` is every frame it got. */
function fakeCompanion(behaviour: Behaviour = {}) {
  const heard: ExtensionToCompanion[] = [];
  const sockets: FakeSocket[] = [];
  const id = behaviour.companionId ?? 'companion-1';
  const port = behaviour.port ?? 5000;
  class FakeSocket {
    binaryType = '';
    onopen: (() => void) | null = null;
    onmessage: ((event: { data: string }) => void) | null = null;
    onclose: (() => void) | null = null;
    onerror: (() => void) | null = null;
    hello: Extract<ExtensionToCompanion, { t: 'hello' }> | null = null;
    constructor() {
      sockets.push(this);
      setTimeout(() => this.onopen?.());
    }
    say(frame: CompanionToExtension) {
      this.onmessage?.({ data: JSON.stringify(frame) });
    }
    send(text: string) {
      const frame = JSON.parse(text) as ExtensionToCompanion;
      heard.push(frame);
      if (frame.t === 'hello') {
        this.hello = frame;
        const words = this.words('aa');
        void mac(fromHex(behaviour.key ?? KEY) as Uint8Array, handshakeWords('s', words)).then((proof) =>
          this.say({ t: 'challenge', proto: 1, companionId: id, nonce: 'aa', mac: proof }),
        );
      } else if (frame.t === 'proof') {
        void macHolds(fromHex(KEY) as Uint8Array, handshakeWords('c', this.words('aa')), frame.mac).then((holds) =>
          holds ? this.say({ t: 'ready', scope: 'scope-1', version: '1', restore: 0 }) : this.close(),
        );
      }
    }
    words(companionNonce: string) {
      const hello = this.hello as NonNullable<typeof this.hello>;
      const { client, nonce: clientNonce, store } = hello;
      return { proto: 1, client, clientNonce, companionId: id, companionNonce, origin: ORIGIN, port, store };
    }
    close() {
      this.onclose?.();
    }
  }
  return {
    heard,
    sockets,
    open: () => new FakeSocket() as unknown as WebSocket,
    async fetch(url: string) {
      if (new URL(url).port !== String(port)) throw new TypeError('refused');
      const body = {
        ok: true,
        name: behaviour.name ?? 'throughline',
        version: '1',
        protocol: behaviour.protocol ?? PROTOCOL,
        companionId: id,
      };
      return new Response(JSON.stringify(body));
    },
  };
}

async function linked(companion: ReturnType<typeof fakeCompanion>, over: Partial<LinkWorld> = {}) {
  const pairings = box<Pairing>(fakeArea(), 'pairing');
  await pairings.set(PAIRING);
  const events: string[] = [];
  const link = createLink(
    {
      pairings,
      fetch: (url) => companion.fetch(url),
      socket: companion.open,
      origin: ORIGIN,
      version: '1',
      store: async () => ({ id: 'store-1', sessions: 0 }),
      allowed: async () => true,
      wanted: () => false,
      ...over,
    },
    {
      onReady: () => void events.push('ready'),
      onFrame: (frame) => void events.push(frame.t),
      onBytes: () => undefined,
      onLost: () => void events.push('lost'),
      onState: () => undefined,
    },
  );
  return { link, pairings, events };
}

describe('the handshake', () => {
  it('ends connected, with the scope kept for later', async () => {
    const { link, pairings } = await linked(fakeCompanion());
    expect(await link.ready(2_000)).toBe(true);
    expect(link.state()).toBe('connected');
    expect(link.scope()).toBe('scope-1');
    expect((await pairings.get())?.scope).toBe('scope-1');
  });

  it('tells a stranger with the right name nothing but hello', async () => {
    const companion = fakeCompanion({ key: '22'.repeat(32) });
    const { link } = await linked(companion);
    expect(await link.ready(2_000)).toBe(false);
    expect(companion.heard.map((frame) => frame.t)).toEqual(['hello']);
    expect(link.state()).toBe('other-companion');
    expect(link.send({ t: 'fold.now', session: 's' })).toBe(false);
  });

  it.each([
    ['another companion', { companionId: 'companion-2' }, 'other-companion'],
    ['a companion of another age', { protocol: [7, 9] as const }, 'version-mismatch'],
    ['another program on the port', { name: 'something' }, 'port-taken'],
    ['nothing at all', { port: 9 }, 'companion-off'],
  ])('%s is named, and never spoken to', async (_what, behaviour, state) => {
    const companion = fakeCompanion(behaviour);
    const { link } = await linked(companion);
    expect(await link.ready(2_000)).toBe(false);
    expect(link.state()).toBe(state);
    expect(companion.heard).toEqual([]);
  });

  it('finds our companion on another of its ports', async () => {
    const { link, pairings } = await linked(fakeCompanion({ port: 4749 }));
    expect(await link.ready(2_000)).toBe(true);
    expect((await pairings.get())?.port).toBe(4749);
  });

  it('says so when the browser does not let it reach the companion', async () => {
    const { link } = await linked(fakeCompanion(), { allowed: async () => false });
    expect(await link.ready(2_000)).toBe(false);
    expect(link.state()).toBe('blocked-by-browser');
  });
});

describe('a companion that is gone', () => {
  it('is known at once after the first look', async () => {
    const { link } = await linked(fakeCompanion({ port: 9 }));
    expect(link.down()).toBe(false);
    await link.ready(2_000);
    expect(link.down()).toBe(true);
  });

  it('that does not answer holds up the first request only', async () => {
    const { link } = await linked(fakeCompanion(), { fetch: () => new Promise(() => undefined) });
    expect(await link.ready(5)).toBe(false);
    expect(link.down()).toBe(true);
  });

  it('is given up early only while nothing of ours has answered', async () => {
    const companion = fakeCompanion();
    const slow = (ms: number, then: () => void) => void setTimeout(then, ms);
    const late = await linked(companion, {
      socket: () => {
        const raw = companion.open();
        const opened = raw.onopen;
        slow(0, () => {
          const now = raw.onopen;
          raw.onopen = opened;
          slow(60, () => now?.call(raw, new Event('open')));
        });
        return raw;
      },
    });
    expect(await late.link.ready(5_000, 40)).toBe(true);
    const deaf = await linked(fakeCompanion(), { fetch: () => new Promise(() => undefined) });
    expect(await deaf.link.ready(600_000, 5)).toBe(false);
  });

  it('frozen, counts as gone until it says something, whatever it says', async () => {
    const companion = fakeCompanion();
    const { link, events } = await linked(companion);
    await link.ready(2_000);
    const [socket] = companion.sockets;
    expect(await link.alive(5)).toBe(false);
    expect(companion.heard.at(-1)).toMatchObject({ t: 'inspect' });
    expect(link.down()).toBe(true);
    expect(link.send({ t: 'fold.now', session: 's' })).toBe(true);
    socket?.say({ t: 'inspected', id: 1, data: null });
    expect(link.down()).toBe(false);
    const asked = link.alive(2_000);
    socket?.say({ t: 'fold.status', session: 's', state: 'nothing', reason: null });
    expect(await asked).toBe(true);
    expect(events).not.toContain('lost');
  });

  it('is found again by the next request, and its loss is told once', async () => {
    const companion = fakeCompanion();
    const { link, events } = await linked(companion);
    await link.ready(2_000);
    companion.sockets[0]?.close();
    companion.sockets[0]?.close();
    expect(events).toEqual(['ready', 'lost']);
    expect(link.send({ t: 'fold.now', session: 's' })).toBe(false);
    expect(await link.ready(2_000)).toBe(true);
    expect(events).toEqual(['ready', 'lost', 'ready']);
  });

  it('an unpaired browser says so', async () => {
    const { link, pairings } = await linked(fakeCompanion());
    await pairings.clear();
    expect(await link.ready(2_000)).toBe(false);
    expect(link.state()).toBe('never-paired');
  });
});

describe('a restart', () => {
  it('is not undone by a look that began before it', async () => {
    const companion = fakeCompanion();
    let go: () => void = () => undefined;
    const first = new Promise<void>((resolve) => {
      go = resolve;
    });
    let looks = 0;
    const { link, pairings, events } = await linked(companion, {
      async fetch(url) {
        looks += 1;
        if (looks === 1) await first;
        return companion.fetch(url);
      },
    });
    const before = link.ready(5_000);
    await until(() => looks === 1);
    await pairings.set({ ...PAIRING, client: 'browser-2' });
    link.restart();
    expect(await link.ready(5_000)).toBe(true);
    go();
    expect(await before).toBe(true);
    await until(() => companion.sockets.length === 2);
    await settle();
    expect(link.state()).toBe('connected');
    expect(events).toEqual(['ready']);
    expect((await pairings.get())?.client).toBe('browser-2');
  });

  it('after unpairing finds no pairing that an earlier look wrote', async () => {
    let go: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    const asked = vi.fn();
    const { link, pairings, events } = await linked(fakeCompanion(), {
      async store() {
        asked();
        await held;
        return { id: 'store-1', sessions: 0 };
      },
    });
    const before = link.ready(5_000);
    await until(() => asked.mock.calls.length > 0);
    await pairings.clear();
    link.restart();
    go();
    expect(await before).toBe(false);
    await settle();
    expect([link.state(), link.scope()]).toEqual(['never-paired', null]);
    expect(await pairings.get()).toBeNull();
    expect(events).toEqual([]);
  });
});

describe('a frame', () => {
  it('that the connection would not survive is not sent', () => {
    const frame = { t: 'fold.now', session: 'é'.repeat(100) } as const;
    const size = new TextEncoder().encode(JSON.stringify(frame)).length;
    expect(fitting(frame, size)).toBe(JSON.stringify(frame));
    expect(fitting(frame, size - 1)).toBeNull();
  });
});

describe('pairing', () => {
  const SECRET = 'ab'.repeat(16);
  const link = `http://127.0.0.1:5000/pair#k=${SECRET}`;
  const world = (answerWith: 'honest' | 'forged' | 'refused', companionId = 'companion-1') => {
    const area = fakeArea();
    const made = { key: '' };
    return {
      made,
      pairings: box<Pairing>(area, 'pairing'),
      clientName: box<string>(area, 'client'),
      origin: ORIGIN,
      connectedPort: (): number | null => null,
      async fetch(url: string, init: RequestInit) {
        expect(url).not.toContain(SECRET);
        if (answerWith === 'refused') return new Response(null, { status: 403 });
        const claim = JSON.parse(String(init.body)) as { client: string; publicKey: string; mac: string };
        const secret = fromHex(SECRET) as Uint8Array;
        const said = { client: claim.client, origin: ORIGIN, publicKey: claim.publicKey };
        expect(await macHolds(secret, pairClaimWords(said, 5000), claim.mac)).toBe(true);
        const ours = await ephemeral();
        made.key = toHex((await ours.derive(claim.publicKey, secret, 'throughline pairing key v1')) as Uint8Array);
        const words = pairAnswerWords(said, companionId, ours.publicKey, 5000);
        const proof = await mac(answerWith === 'forged' ? new Uint8Array(16) : secret, words);
        return new Response(JSON.stringify({ companionId, publicKey: ours.publicKey, mac: proof }));
      },
    };
  };

  it('gives both sides the same key, and keeps the client name for the next time', async () => {
    const at = world('honest');
    const first = await pair(link, at);
    expect(first).toMatchObject({ ok: true, pairing: { companionId: 'companion-1', port: 5000, key: at.made.key } });
    const again = await pair(link, at);
    expect(again.ok && first.ok && again.pairing.client === first.pairing.client).toBe(true);
  });

  it.each(['forged', 'refused'] as const)('stores nothing when the answer is %s', async (how) => {
    const at = world(how);
    expect((await pair(link, at)).ok).toBe(false);
    expect(await at.pairings.get()).toBeNull();
    expect(await at.clientName.get()).toBeNull();
  });

  it('never replaces the companion we have by another one, until the person unpairs', async () => {
    const at = world('honest', 'companion-2');
    await at.pairings.set(PAIRING);
    const refused = await pair(link, at);
    expect(refused).toMatchObject({ ok: false, code: 'already-paired' });
    expect(!refused.ok && refused.message).toContain('Unpair');
    expect(await at.pairings.get()).toEqual(PAIRING);
    expect(await at.clientName.get()).toBeNull();
    await at.pairings.clear();
    expect(await pair(link, at)).toMatchObject({ ok: true, pairing: { companionId: 'companion-2' } });
  });

  it('lets the same companion pair again, but nobody who only knows its name while it is connected', async () => {
    const at = world('honest');
    await at.pairings.set({ ...PAIRING, scope: 'scope-1' });
    expect(await pair(link, { ...at, connectedPort: () => 4747 })).toMatchObject({ ok: false, code: 'already-paired' });
    expect((await at.pairings.get())?.key).toBe(KEY);
    expect((await pair(link, { ...at, connectedPort: () => 5000 })).ok).toBe(true);
    expect((await at.pairings.get())?.key).toBe(at.made.key);
    expect((await pair(link, at)).ok).toBe(true);
  });

  it.each([
    'https://127.0.0.1:5000/pair#k=abababababababababababababababab',
    'http://localhost:5000/pair#k=abababababababababababababababab',
    'http://evil.example:5000/pair#k=abababababababababababababababab',
    'http://127.0.0.1:5000/other#k=abababababababababababababababab',
    'http://127.0.0.1:5000/pair#k=abab',
    'http://127.0.0.1:5000/pair',
    'nonsense',
  ])('takes no link like %s', (text) => {
    expect(parsePairLink(text)).toBeNull();
  });

  it('switches on only a site of this machine', () => {
    expect(parsePairLink(`${link}&site=http%3A%2F%2F127.0.0.1%3A8080`)?.site).toBe('http://127.0.0.1:8080');
    expect(parsePairLink(`${link}&site=https%3A%2F%2Fbank.example`)?.site).toBeNull();
  });
});
