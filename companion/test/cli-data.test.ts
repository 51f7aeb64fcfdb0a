/** Search, export, import, forget and uninstall as processes, with the companion running and stopped. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isOurs } from '../src/cli/uninstall.ts';
import { dataFiles, makePrivateDirectory } from '../src/files.ts';
import { companionIdentity } from '../src/pairing/keys.ts';
import { openPairings } from '../src/pairing/pairings.ts';
import { openDatabase } from '../src/store/open.ts';
import { createSqliteStore } from '../src/store/sqlite.ts';
import { launch, run } from './support/process.ts';
import { blockFor, commitFor } from './support/records.ts';
import { temporaryDirectory } from './support/world.ts';

const SECRET = '\u001b[31mthe forgotten words of a very long river 长江\u0007';

async function prepared() {
  const root = temporaryDirectory();
  const files = dataFiles(join(root, 'data'));
  makePrivateDirectory(files.directory);
  companionIdentity(files);
  openPairings(files.pairings).add({ client: 'browser-1', origin: 'chrome-extension://a', key: 'a'.repeat(64), at: 1 });
  const scope = openPairings(files.pairings).scopes()[0] as never;
  const store = createSqliteStore(openDatabase(files.database, Date.now).database);
  const at = Date.now();
  const over = { scope, createdAt: at, usedAt: at };
  const first = commitFor('tl-one', 1, SECRET, { ...over, title: SECRET, nextBlock: 2 });
  await store.commit({ ...first, blocks: [blockFor(1, [0], { summary: 'about rivers' })] });
  await store.commit(commitFor('tl-two', 1, 'something else', { ...over, site: 'https://other.example' }));
  await store.commit(commitFor('tl-three', 1, 'a third thing', { ...over, site: 'https://other.example' }));
  await store.close();
  chmodSync(files.database, 0o600);
  writeFileSync(`${files.database}.corrupt-2026-01-01T00-00-00-000Z`, SECRET, { mode: 0o600 });
  const cli = (...args: string[]) => run([...args, '--data', files.directory]);
  return { root, files, cli };
}
const holds = (directory: string, words: string): string[] =>
  readdirSync(directory).filter((name) => readFileSync(join(directory, name)).includes(words));

describe.each(['running', 'stopped'])('with the companion %s', (state) => {
  let made: Awaited<ReturnType<typeof prepared>>;
  let serving: ReturnType<typeof launch> | null = null;
  const out = (): string => join(made.root, 'export.json');
  beforeAll(async () => {
    made = await prepared();
    if (state === 'stopped') return;
    serving = launch(['serve', '--port', '0', '--no-open', '--log-level', 'info', '--data', made.files.directory]);
    await serving.line(/listening on/);
  }, 120_000);
  afterAll(async () => {
    serving?.child.kill('SIGTERM');
    await serving?.done;
    rmSync(made.root, { recursive: true, force: true });
  });

  it('search finds, and nothing it prints moves the cursor', async () => {
    const [people, machine] = await Promise.all([made.cli('search', '长江', 'long'), made.cli('search', 'rivers', '--json')]);
    expect(people).toMatchObject({ code: 0, err: '' });
    expect(people.out).toMatch(/^tl-one {2}m00001 \(user\) /);
    for (const control of ['\u001b', '\u0007']) expect(people.out).not.toContain(control);
    expect(JSON.parse(machine.out).hits).toMatchObject([{ session: 'tl-one', kind: 'block', at: 'b1' }]);
  }, 120_000);

  it('export writes whole private files; import after forget is refused, again is not', async () => {
    const [whole, reading] = await Promise.all([
      made.cli('export', '--all', '--out', out()),
      made.cli('export', 'tl-o', '--format', 'markdown'),
    ]);
    expect(whole).toEqual({ code: 0, out: '', err: '' });
    expect(statSync(out()).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(out(), 'utf8')).sessions).toHaveLength(3);
    expect(reading.out).toContain('## b1 · tier 1 · a topic');

    expect(await made.cli('forget', 'tl-one')).toMatchObject({ code: 2, out: '', err: expect.stringContaining('needs-yes') });
    const one = await made.cli('forget', 'tl-one', '--yes');
    expect(one).toMatchObject({ code: 0, out: expect.stringContaining('Forgotten: 1 conversation.') });
    expect(one.out).toContain('kept aside');
    const refused = await made.cli('import', out());
    expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/^throughline: forgotten: [^\n]+\n$/) });
    expect((await made.cli('import', out(), '--again')).out).toMatch(/^Taken in: 1 conversation\.\n1 of them under new ids/);
  }, 240_000);

  it('forgetting everything leaves nothing of it in any file', async () => {
    expect((await made.cli('forget', '--site', 'https://other.example/path', '--yes')).out).toContain('Forgotten: 2');
    const all = await made.cli('forget', '--all', '--yes');
    expect(all.out).toMatch(/^Forgotten: 1 conversation\.\nRemoved 1 damaged files/);
    const text = SECRET.replace('\u001b', '\\u001b').replace('\u0007', '\\u0007');
    for (let at = 0; at + 16 <= text.length; at += 1) {
      expect(holds(made.files.directory, text.slice(at, at + 16))).toEqual([]);
    }
    for (const name of readdirSync(made.files.directory)) {
      expect(statSync(join(made.files.directory, name)).mode & 0o777, name).toBe(0o600);
    }
  }, 120_000);

  it('uninstall removes its own and nothing else, once the companion is stopped', async () => {
    if (serving !== null) {
      expect(await made.cli('uninstall', '--yes')).toMatchObject({ code: 1, err: expect.stringContaining('running: ') });
      serving.child.kill('SIGTERM');
      await serving.done;
      expect(readFileSync(made.files.log, 'utf8')).toContain('"stopping"');
    }
    if (state === 'running') writeFileSync(join(made.files.directory, 'thesis.txt'), 'mine');
    expect(await made.cli('uninstall')).toMatchObject({ code: 2, err: expect.stringContaining('needs-yes') });
    expect(existsSync(made.files.identity)).toBe(true);
    const done = await made.cli('uninstall', '--yes');
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(done.out).toContain('chrome://extensions');
    if (state === 'running') expect(readdirSync(made.files.directory)).toEqual(['thesis.txt']);
    else expect(existsSync(made.files.directory)).toBe(false);
  }, 240_000);
});

describe('what uninstall knows as its own', () => {
  const files = dataFiles('/data');
  it.each([
    'sessions.sqlite',
    'sessions.sqlite-wal',
    'sessions.sqlite.corrupt-2026-01-01T00-00-00-000Z-shm',
    'pairings.json',
    'pairings.json.0123456789ab.tmp',
    'throughline.log.3',
    'asked-0123456789abcdef.json',
    'lock.sqlite-journal',
  ])('%s', (name) => expect(isOurs(name, files)).toBe(true));
  it.each(['sessions.sqlite.backup', 'notes.txt', 'pairings.json.old', 'api-key-of-mine', 'asked-me.json', 'data', ''])(
    'not %s',
    (name) => expect(isOurs(name, files)).toBe(false),
  );

  it('a directory in which no companion kept anything is left as it is', async () => {
    const directory = join(temporaryDirectory(), 'mine');
    mkdirSync(directory);
    writeFileSync(join(directory, 'lock.sqlite'), 'a file of somebody else');
    const tried = await Promise.all(
      ['uninstall', 'forget'].map((verb) => run([verb, '--yes', ...(verb === 'forget' ? ['--all'] : []), '--data', directory])),
    );
    for (const ran of tried) expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('no-data') });
    expect(readdirSync(directory)).toEqual(['lock.sqlite']);
    rmSync(directory, { recursive: true });
  }, 120_000);
});
