/** Pairing: one secret, one browser, once, in time; and files that only their owner can read. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { leaveSecret } from '../src/pairing/secrets.ts';
import { CHROME, claim, dial, FIREFOX } from './support/browser.ts';
import { startWorld, type World } from './support/world.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.close());

const port = (): number => world.companion.port;

describe('a pairing secret', () => {
  it('pairs the browser that proves it, and both sides then hold the same key', async () => {
    const paired = await world.pair();
    const line = await world.connect(paired);
    expect(line.scope).toMatch(/^scope-[0-9a-f]{16}$/);
  });

  it('works once', async () => {
    const secret = world.companion.secrets.issue();
    const first = await claim(port(), secret, { client: 'browser-one' });
    expect(typeof first).toBe('object');
    expect(await claim(port(), secret, { client: 'browser-one' })).toBe(403);
    // The same browser asking twice is not a second claimant: its pairing stands.
    expect(await dial(port(), first as Exclude<typeof first, number>)).not.toBeNull();
  });

  it('cancels both when a second claimant proves it, and ends the connection of the first', async () => {
    const secret = world.companion.secrets.issue();
    const first = await claim(port(), secret, { client: 'browser-one' });
    if (typeof first === 'number') throw new Error('refused');
    const line = await world.connect(first);
    expect(await claim(port(), secret, { client: 'browser-two', origin: FIREFOX })).toBe(403);
    await line.closed;
    expect(await dial(port(), first)).toBeNull();
    expect(world.companion.pairings.list()).toEqual([]);
  });

  it('is worth nothing after 120 seconds', async () => {
    const secret = world.companion.secrets.issue();
    world.clock += 120_001;
    expect(await claim(port(), secret)).toBe(403);
  });

  it('left by another process is read, used once and removed from the disk', async () => {
    const secret = leaveSecret(world.files.pairing, world.clock);
    expect(typeof (await claim(port(), secret, { client: 'browser-one' }))).toBe('object');
    expect(readdirSync(world.files.directory)).not.toContain('pairing.json');
    expect(await claim(port(), secret, { client: 'browser-one' })).toBe(403);
  });

  it.each([
    ['a mac of another secret', { mac: '0'.repeat(64) }],
    ['a truncated mac', { mac: '0'.repeat(62) }],
    ['a point that is not on the curve', { publicKey: `04${'11'.repeat(64)}` }],
    ['a key that is no point', { publicKey: '04' }],
    ['a page as origin', { origin: 'https://evil.example' }],
    ['another content type', { contentType: 'text/plain' }],
    ['a client name of another shape', { client: 'a b' }],
  ])('is not spent by a claim with %s', async (_, options) => {
    const secret = world.companion.secrets.issue();
    expect(await claim(port(), secret, options)).toBe(403);
    expect(typeof (await claim(port(), secret))).toBe('object');
  });

  it('is replaced by the next one', async () => {
    const old = world.companion.secrets.issue();
    const next = world.companion.secrets.issue();
    expect(await claim(port(), old)).toBe(403);
    expect(typeof (await claim(port(), next))).toBe('object');
  });
});

describe('pairing again', () => {
  it('renews the key of a known client and keeps its scope', async () => {
    const first = await world.pair({ client: 'browser-one' });
    const before = await world.connect(first);
    const second = await world.pair({ client: 'browser-one' });
    await before.closed;
    expect(await dial(port(), first)).toBeNull();
    expect((await world.connect(second)).scope).toBe(before.scope);
  });

  it('gives another client another scope', async () => {
    const one = await world.connect(await world.pair({ client: 'browser-one' }));
    const two = await world.connect(await world.pair({ client: 'browser-two', origin: FIREFOX }));
    expect(one.scope).not.toBe(two.scope);
  });

  it('survives a restart of the companion', async () => {
    const paired = await world.pair();
    const { scope } = await world.connect(paired);
    await world.restart();
    expect((await world.connect(paired)).scope).toBe(scope);
  });
});

describe.each([0o000, 0o022])('under umask %o', (mask) => {
  it('every file is 0600 and the directory 0700', async () => {
    const before = process.umask(mask);
    const other = await startWorld();
    try {
      await other.pair({ origin: CHROME });
      leaveSecret(other.files.pairing, other.clock);
      expect(statSync(other.files.directory).mode & 0o777).toBe(0o700);
      for (const name of readdirSync(other.files.directory).filter((one) => !one.includes('.sqlite'))) {
        expect(statSync(join(other.files.directory, name)).mode & 0o777, name).toBe(0o600);
      }
      expect(readFileSync(other.files.pairings, 'utf8')).toContain(CHROME);
    } finally {
      process.umask(before);
      await other.close();
    }
  });
});
