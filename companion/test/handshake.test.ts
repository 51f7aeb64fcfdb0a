/** The mutual handshake: whoever does not hold the pairing key gets nothing, and costs little. */
import { handshakeWords } from '@throughline/shared/protocol/pairing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { CHROME, dial, FIREFOX, hmac, type Paired, rawSocket } from './support/browser.ts';
import { startWorld, type World } from './support/world.ts';

let world: World;
let paired: Paired;
beforeEach(async () => {
  world = await startWorld();
  paired = await world.pair({ client: 'browser-one' });
});
afterEach(() => world.close());

const port = (): number => world.companion.port;
const hello = (over: object = {}): string =>
  JSON.stringify({
    t: 'hello',
    proto: [1, 1],
    client: 'browser-one',
    nonce: 'ab'.repeat(16),
    version: '0',
    store: 's',
    sessions: 0,
    ...over,
  });

describe('the handshake', () => {
  it.each([
    ['a wrong key', { key: Buffer.alloc(32, 1) }],
    ['a wrong mac', { mac: '0'.repeat(64) }],
    ['a truncated mac', { mac: '0'.repeat(62) }],
    ['words for another port', { port: 1 }],
  ])('refuses %s', async (_, options) => expect(await dial(port(), paired, options)).toBeNull());

  it('refuses a proof that was heard before', async () => {
    const words = {
      proto: 1,
      client: paired.client,
      clientNonce: 'ab'.repeat(16),
      companionId: paired.companionId,
      companionNonce: 'cd'.repeat(16),
      origin: CHROME,
      port: port(),
      store: 'store-1',
    };
    expect(await dial(port(), paired, { mac: hmac(paired.key, handshakeWords('c', words)) })).toBeNull();
  });

  it('refuses its own challenge reflected as a proof', async () => {
    const raw = rawSocket(port(), paired.origin);
    await raw.opened;
    raw.socket.send(hello());
    const challenge = await raw.next();
    if (challenge?.t !== 'challenge') throw new Error('no challenge');
    raw.socket.send(JSON.stringify({ t: 'proof', mac: challenge.mac }));
    expect(await raw.next()).toBeNull();
  });

  it('never gives the same challenge twice', async () => {
    const nonces = new Set<string>();
    for (let i = 0; i < 5; i += 1)
      await dial(port(), paired, { mac: '0'.repeat(64), beforeProof: ({ nonce }) => nonces.add(nonce) });
    expect(nonces.size).toBe(5);
  });

  it.each([[[0, 0]], [[2, 9]], [[5, 1]]])('refuses protocol %j with a code and does not go down to it', async (proto) => {
    const raw = rawSocket(port(), paired.origin);
    await raw.opened;
    raw.socket.send(hello({ proto }));
    expect(await raw.next()).toMatchObject({ t: 'refused', code: 'protocol' });
    expect(await raw.next()).toBeNull();
  });

  it('chooses the highest protocol both speak', async () => {
    expect(await dial(port(), paired, { proto: [1, 7] })).not.toBeNull();
  });

  it('refuses an unknown client, and a known one under another origin', async () => {
    const other = await world.pair({ origin: FIREFOX, client: 'browser-firefox' });
    expect(await dial(port(), { ...paired, client: 'browser-nobody' })).toBeNull();
    expect(await dial(port(), paired, { origin: other.origin })).toBeNull();
  });

  it.each([
    ['text that is no JSON', 'hello'],
    ['another verb', JSON.stringify({ t: 'fold.now', session: 's' })],
    ['a proof before hello', JSON.stringify({ t: 'proof', mac: '00' })],
    ['a prototype in the frame', '{"t":"hello","__proto__":{"client":"x"}}'],
    ['a frame that is too large', hello({ version: 'x'.repeat(5000) })],
  ])('closes on %s', async (_, text) => {
    const raw = rawSocket(port(), paired.origin);
    await raw.opened;
    raw.socket.send(text);
    await raw.closed;
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it('closes on bytes before the proof, and on a flood of them', async () => {
    for (const bytes of [Buffer.alloc(8), Buffer.alloc(2_000_000)]) {
      const raw = rawSocket(port(), paired.origin);
      await raw.opened;
      raw.socket.send(bytes);
      await raw.closed;
    }
  });

  it('lets a silent socket go, and keeps eight at most, without touching a proven one', async () => {
    await world.close();
    world = await startWorld({ unprovenMilliseconds: 400 });
    paired = await world.pair({ client: 'browser-one' });
    const line = await world.connect(paired);
    const silent = Array.from({ length: 8 }, () => rawSocket(port(), paired.origin));
    expect(await Promise.all(silent.map((one) => one.opened))).toEqual(Array(8).fill(true));
    expect(await rawSocket(port(), paired.origin).opened).toBe(false);
    await Promise.all(silent.map((one) => one.closed));
    expect(await dial(port(), paired)).not.toBeNull();
    line.send({ t: 'inspect', id: 7, what: 'health' });
    expect(await line.wait('inspected')).toMatchObject({ id: 7 });
  });

  it('refuses an upgrade from a page, and one without origin', async () => {
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1'])
      expect(await rawSocket(port(), origin).opened).toBe(false);
    const bare = new WebSocket(`ws://127.0.0.1:${port()}/socket`);
    expect(await new Promise((resolve) => bare.on('open', () => resolve(true)).on('error', () => resolve(false)))).toBe(false);
  });
});
