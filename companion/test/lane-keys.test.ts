/** Keys of the http lane on the command line: one per name, turned and taken back at once, never for whom they were not made. */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseCommand } from '../src/cli/arguments.ts';
import { laneVerb } from '../src/cli/lane.ts';
import { Fault } from '../src/fault.ts';
import { dataFiles } from '../src/files.ts';
import { openLaneKeys } from '../src/lane/keys.ts';
import { openPairings } from '../src/pairing/pairings.ts';
import { CHROME, FIREFOX } from './support/browser.ts';
import { ask } from './support/lane.ts';
import { launch, run } from './support/process.ts';
import { body } from './support/rivers.ts';
import { answerWith, startUpstream, type Upstream } from './support/upstream.ts';
import { temporaryDirectory } from './support/world.ts';

const BASE = /^http:\/\/127\.0\.0\.1:(\d+)\/lane\/[0-9a-f]{32}$/m;

describe('a running companion', () => {
  const data = join(temporaryDirectory(), 'data');
  let serving: ReturnType<typeof launch>;
  let upstream: Upstream;
  let port = '';
  beforeAll(async () => {
    upstream = await startUpstream();
    upstream.answer = answerWith('A fine answer.');
    const args = ['--port', '0', '--data', data, '--no-open', '--log-level', 'debug', '--allow-upstream', upstream.origin];
    serving = launch(['serve', ...args]);
    port = await serving.line(/listening on http:\/\/127\.0\.0\.1:(\d+)/);
  }, 60_000);
  afterAll(async () => {
    serving.child.kill('SIGTERM');
    await serving.done;
    await upstream.close();
    rmSync(data, { recursive: true, force: true });
  });
  const lane = (...args: string[]) => run(['lane', ...args, '--data', data]);
  const base = async (...args: string[]): Promise<string> => BASE.exec((await lane(...args)).out)?.[0] ?? '';
  const say = (url: string, turns: number) =>
    ask(`${url}/${upstream.origin}/v1/chat/completions`, {
      headers: { 'content-type': 'application/json' },
      body: body(turns),
    });

  it('takes a key at once, gives the same one again, and turns and revokes it at once', async () => {
    const first = await base('--name', 'agent');
    expect(BASE.exec(first)?.[1]).toBe(port);
    expect(await base('--name', 'agent')).toBe(first);
    const born = await say(first, 2);
    expect(born.status).toBe(200);
    const second = await base('--name', 'agent', '--rotate');
    expect(second).not.toBe(first);
    expect((await say(first, 3)).status).toBe(403);
    const gone = await say(second, 3);
    expect(gone.headers['x-throughline-session']).toBe(born.headers['x-throughline-session']);
    expect((await lane('--name', 'agent', '--revoke')).code).toBe(0);
    expect((await say(second, 4)).status).toBe(403);
    const third = await base('--name', 'agent');
    expect((await say(third, 4)).headers['x-throughline-session']).toBe(born.headers['x-throughline-session']);
    const other = await base('--name', 'other');
    expect((await say(other, 4)).headers['x-throughline-via']).toBe('new');
    const { out } = await lane('--list');
    expect(out).toMatch(/^agent +in force/m);
    expect(out).toMatch(/^other +in force/m);
    expect(out).not.toMatch(/[0-9a-f]{32}/);
    // Its conversations are shown like any other.
    const shown = await run(['sessions', '--data', data]);
    expect(shown.out).toContain(born.headers['x-throughline-session']);
    for (const name of readdirSync(data)) expect(statSync(join(data, name)).mode & 0o777, name).toBe(0o600);
  }, 300_000);

  it('lets a page in by the one key that was made for it', async () => {
    const app = await base('--name', 'app', '--allow-origin', 'tauri://localhost/');
    const origin = { origin: 'tauri://localhost' };
    const preflight = await ask(`${app}/${upstream.origin}/v1/chat/completions`, {
      method: 'OPTIONS',
      headers: { ...origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-origin']).toBe('tauri://localhost');
    expect(preflight.headers['access-control-allow-headers']).toMatch(/authorization/);
    upstream.answer = (seen, response) => {
      response.setHeader('access-control-allow-origin', '*');
      return answerWith('A fine answer.')(seen, response);
    };
    const got = await ask(`${app}/${upstream.origin}/v1/chat/completions`, { headers: origin, body: body(2) });
    expect(got.status).toBe(200);
    expect(got.headers['access-control-allow-origin']).toBe('tauri://localhost');
    expect(got.headers['access-control-expose-headers']).toMatch(/x-throughline-session/);
    const stranger = await ask(`${app}/${upstream.origin}/v1/chat/completions`, {
      headers: { origin: 'https://evil.example' },
      body: body(2),
    });
    expect([stranger.status, stranger.text, stranger.headers['access-control-allow-origin']]).toEqual([403, '', undefined]);
    const plain = await base('--name', 'agent');
    expect((await ask(`${plain}/${upstream.origin}/x`, { method: 'GET', headers: origin })).status).toBe(403);
    expect((await lane('--name', 'app', '--allow-origin', 'app://other')).err).toMatch(/^throughline: key-exists: /);
    expect((await lane('--name', 'app')).out).toContain(app);
  }, 300_000);
});

describe('a directory', () => {
  const data = join(temporaryDirectory(), 'data');
  const keys = () => openLaneKeys(dataFiles(data).lanes).list();
  /** The command in this process: what it prints, or the line and exit code of its refusal. */
  const lane = async (...args: string[]): Promise<{ code: number; out: string; err: string }> => {
    let out = '';
    const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      out += String(text);
      return true;
    });
    try {
      await laneVerb(parseCommand(['lane', ...args, '--data', data]));
      return { code: 0, out, err: '' };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return { code: error.exit, out, err: error.line() };
    } finally {
      write.mockRestore();
    }
  };
  afterAll(() => rmSync(data, { recursive: true, force: true }));

  it('gets its first key before its first companion, which is said', async () => {
    const { code, out } = await lane();
    expect(code).toBe(0);
    expect(out).toMatch(BASE);
    expect(out).toMatch(/not running/);
    expect(statSync(join(data, 'lanes.json')).mode & 0o777).toBe(0o600);
    expect(statSync(data).mode & 0o777).toBe(0o700);
  });

  it("shares a browser's scope on request: the only one, or the one that is named", async () => {
    expect((await lane('--name', 'shared', '--paired')).err).toMatch(/^throughline: not-paired: /);
    const pairings = openPairings(dataFiles(data).pairings);
    const first = pairings.add({ client: 'browser-1', origin: CHROME, key: '0'.repeat(64), at: 1 });
    expect((await lane('--name', 'shared', '--paired')).code).toBe(0);
    expect(keys()).toContainEqual(expect.objectContaining({ name: 'shared', scope: first.scope, paired: true }));
    const second = pairings.add({ client: 'browser-2', origin: FIREFOX, key: '1'.repeat(64), at: 1 });
    const which = await lane('--name', 'shared-2', '--paired');
    expect(which).toMatchObject({ code: 1, err: expect.stringMatching(/^throughline: which-browser: /) });
    expect(which.err).toContain(first.scope);
    expect((await lane('--name', 'shared-2', '--paired', '--scope', second.scope)).code).toBe(0);
    expect(keys()).toContainEqual(expect.objectContaining({ name: 'shared-2', scope: second.scope, paired: true }));
    expect((await lane('--paired')).err).toMatch(/^throughline: own-scope: /);
    // A new key of the name keeps what it had.
    await lane('--name', 'shared', '--revoke');
    expect(keys().find((one) => one.name === 'shared')?.key).toBeNull();
    await lane('--name', 'shared');
    expect(keys()).toContainEqual(
      expect.objectContaining({ name: 'shared', scope: first.scope, key: expect.stringMatching(/^[0-9a-f]{32}$/) }),
    );
  });

  it.each([
    [['--name', 'a b'], 2],
    [['--name', ''], 2],
    [['--name', '../x'], 2],
    [['--list', '--revoke'], 2],
    [['--allow-origin', 'null'], 2],
    [['--allow-origin', 'https://a.example/path'], 2],
    [['--allow-origin', '*'], 2],
    [['--name', 'nobody', '--rotate'], 1],
    [['--name', 'nobody', '--revoke'], 1],
  ])('refuses %j with exit code %i and changes nothing', async (args, code) => {
    const before = keys();
    const refused = await lane(...args);
    expect(refused.code).toBe(code);
    expect(refused.err).toMatch(/^throughline: [a-z-]+: .+\. .+$/);
    expect(keys()).toEqual(before);
  });

  it('with a file of keys that cannot be read is refused, and the file left as it is', async () => {
    const path = dataFiles(data).lanes;
    const before = openLaneKeys(path);
    const [known] = before.list();
    writeFileSync(path, '{"v":1,"lanes":[{}]}');
    expect((await lane()).err).toMatch(/^throughline: bad-lanes: /);
    expect(readFileSync(path, 'utf8')).toBe('{"v":1,"lanes":[{}]}');
    // Whoever runs meanwhile lets nobody in.
    expect(before.find(known?.key ?? '')).toBeNull();
  });
});
