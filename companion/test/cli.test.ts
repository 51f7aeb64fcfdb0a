/** The command line: exit codes, one-line errors, tables for people and JSON for machines. Runs the sources as a process. */
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCommand, VERBS } from '../src/cli/arguments.ts';
import { helpText } from '../src/cli/help.ts';
import { plainText, table } from '../src/cli/table.ts';
import { Fault } from '../src/fault.ts';
import { createLog } from '../src/log.ts';
import { claim, dial } from './support/browser.ts';
import { createOwner } from './support/owner.ts';
import { launch, run } from './support/process.ts';
import { startUpstream } from './support/upstream.ts';
import { temporaryDirectory } from './support/world.ts';

describe('a running companion', () => {
  const data = join(temporaryDirectory(), 'data');
  let serving: ReturnType<typeof launch>;
  let port = 0;
  beforeAll(async () => {
    serving = launch(['serve', '--port', '0', '--data', data, '--no-open', '--log-level', 'info']);
    port = Number(await serving.line(/listening on http:\/\/127\.0\.0\.1:(\d+)/));
  }, 60_000);
  afterAll(async () => {
    serving.child.kill('SIGTERM');
    await serving.done;
    rmSync(data, { recursive: true, force: true });
  });

  it('offers a pairing link on its own when nobody is paired', async () => {
    expect(await serving.line(/pair a browser: (http:\S+)/)).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/pair#k=[0-9a-f]{32}$/);
  });

  it('is found, paired with and inspected by the other commands', async () => {
    const link = (await run(['pair', '--no-open', '--data', data])).out;
    expect(link).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${port}/pair#k=[0-9a-f]{32}\\n`));
    const paired = await claim(port, /k=([0-9a-f]+)/.exec(link)?.[1] ?? '');
    if (typeof paired === 'number') throw new Error('refused');
    const wired = await dial(port, paired);
    if (wired === null) throw new Error('not accepted');
    const upstream = await startUpstream();
    const owner = createOwner(wired.scope);
    const body = JSON.stringify({
      model: 'demo',
      messages: [{ role: 'user', content: 'What about the \u001b[31mred rivers here?' }],
    });
    await owner.turn(wired, `${upstream.origin}/v1/chat/completions`, body);
    await upstream.close();
    const status = await run(['status', '--data', data]);
    expect(status).toMatchObject({ code: 0, err: '' });
    expect(status.out).toContain(`http://127.0.0.1:${port}`);
    expect(status.out).toContain('1 paired, 1 connected');
    const listed = await run(['sessions', '--data', data]);
    expect(listed.out).toContain('tl-test');
    expect(listed.out).not.toContain('\u001b');
    const machine = JSON.parse((await run(['sessions', '--json', '--data', data])).out);
    expect(machine.sessions).toHaveLength(1);
    const shown = await run(['show', 'tl-te', '--data', data]);
    expect(shown.out).toContain('Nothing is folded.');
    expect(await run(['show', 'tl-nothing', '--data', data])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^throughline: unknown-session: .*\n$/),
    });
    wired.close();
  }, 120_000);

  it('is one per data directory', async () => {
    const second = await run(['serve', '--port', '0', '--data', data]);
    expect(second.code).toBe(0);
    expect(second.out).toMatch(new RegExp(`already running on http://127\\.0\\.0\\.1:${port} \\(pid \\d+\\)`));
  });

  it('keeps only private files', () => {
    expect(statSync(data).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(data)) expect(statSync(join(data, name)).mode & 0o777, name).toBe(0o600);
  });
});

describe('wrong use', () => {
  it.each([
    [['frobnicate'], 2, 'usage'],
    [['--frobnicate'], 2, 'usage'],
    [['serve', '--port'], 2, 'usage'],
    [['serve', 'word'], 2, 'usage'],
    [['show'], 2, 'usage'],
    [['forget'], 2, 'usage'],
    [['forget', 'tl-1', '--all'], 2, 'usage'],
    [['forget', '--site', 'nowhere'], 2, 'usage'],
    [['export', '--all', '--format', 'xml'], 2, 'usage'],
    [['search', 'x', '--limit', '0'], 2, 'usage'],
    [['serve', '--port', 'abc'], 2, 'bad-setting'],
    [['serve', '--port', '70000'], 2, 'bad-setting'],
    [['serve', '--log-level', 'loud'], 2, 'bad-setting'],
    [['serve', '--allow-upstream', 'http://a/b'], 2, 'bad-setting'],
    [['serve', '--config', '/nonexistent.json'], 2, 'no-config'],
    [['status', '--data', '/tmp/throughline-nobody-home'], 1, 'not-running'],
    [['pair', '--data', '/tmp/throughline-nobody-home'], 1, 'not-running'],
  ])('%j ends with %i and one line: %s', async (args, code, name) => {
    const ran = await run(args as string[]);
    expect(ran.code).toBe(code);
    expect(ran.out).toBe('');
    expect(ran.err).toMatch(new RegExp(`^throughline: ${name}: [^\\n]+\\.\\n$`));
  });

  it('help and version answer on stdout', async () => {
    expect((await run(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await run(['--help'])).out).toContain('Commands');
    expect(await run(['show', '--help'])).toMatchObject({ code: 0, out: expect.stringContaining('throughline show SESSION') });
  });
});

describe('every command', () => {
  const refusal = (args: string[]): string => {
    try {
      parseCommand(args);
      return 'taken';
    } catch (error) {
      return error instanceof Fault ? `${error.exit} ${error.line()}` : String(error);
    }
  };

  it('has a help of its own that names it', () => {
    for (const verb of VERBS) expect(helpText(verb)).toMatch(new RegExp(`Usage: throughline (${verb}|\\[COMMAND\\])`));
    for (const verb of VERBS) expect(helpText('serve')).toContain(`\n  ${verb}`);
  });

  it('refuses an unknown flag and one without its value, by name', () => {
    for (const verb of VERBS) {
      expect(refusal([verb, '--frobnicate'])).toMatch(/^2 throughline: usage: There is no flag --frobnicate\. Run /);
      expect(refusal([verb, '--data'])).toMatch(/^2 throughline: usage: The flag --data is not used like that\. Run /);
    }
  });

  it.each([
    [['search'], '2 throughline: usage: "search" needs exactly: WORDS. Run "throughline search --help".'],
    [['search', 'two', 'words'], 'taken'],
    [['import'], '2 throughline: usage: "import" needs exactly: FILE. Run "throughline import --help".'],
    [['import', 'a', 'b'], '2 throughline: usage: "import" needs exactly: FILE. Run "throughline import --help".'],
    [['forget', 'a', 'b'], '2 throughline: usage: "forget" needs exactly: [SESSION]. Run "throughline forget --help".'],
    [['uninstall', 'now'], '2 throughline: usage: "uninstall" takes no words. Run "throughline uninstall --help".'],
    [['uninstall', '--yes'], 'taken'],
  ])('%j: %s', (args, outcome) => expect(refusal(args as string[])).toBe(outcome));
});

describe('a store that must not be touched', () => {
  it('stops the start with a clear line', async () => {
    const data = join(temporaryDirectory(), 'data');
    mkdirSync(data);
    const header = Buffer.alloc(4096);
    header.write('SQLite format 3\u0000', 'latin1');
    header.writeUInt32BE(999, 60);
    writeFileSync(join(data, 'sessions.sqlite'), header);
    const ran = await run(['serve', '--port', '0', '--data', data]);
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toMatch(/^throughline: store-newer: .*left untouched.*\n$/);
    rmSync(data, { recursive: true });
  });
});

describe('words for people', () => {
  it('columns stand under each other, also in wide scripts', () => {
    expect(
      table(
        ['name', 'n'],
        [
          ['河流', 1],
          ['abc', 1000],
        ],
      ),
    ).toBe('name      n\n河流      1\nabc   1,000');
  });

  it('nothing in a title moves the cursor', () => {
    expect(plainText('a\u001b[2Jb\u202ec\nd')).toBe('a[2Jbcd');
    expect(plainText('x'.repeat(100), 10)).toBe(`${'x'.repeat(9)}…`);
  });
});

describe('the log', () => {
  it('writes codes and numbers, and hides everything else', () => {
    const lines: string[] = [];
    const log = createLog('info', (line) => lines.push(line));
    log.info('event', {
      code: 'ECONNRESET',
      n: 3,
      origin: 'https://api.example',
      url: 'https://api.example/v1?key=secret',
      text: 'some words of a person',
      key: 'sk-proj-abcdefgh',
      bearer: 'Bearer abcdefgh',
      long: 'a'.repeat(41),
    });
    const [line = ''] = lines;
    expect(JSON.parse(line)).toMatchObject({ event: 'event', code: 'ECONNRESET', n: 3, origin: 'https://api.example' });
    for (const word of ['secret', 'words', 'sk-proj', 'Bearer', 'aaaa']) expect(line).not.toContain(word);
  });
});
