/** A companion in this process, on a free port and a temporary directory. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Companion, type CompanionOptions, startCompanion } from '../../src/companion.ts';
import { type Config, loadConfig } from '../../src/config.ts';
import { type DataFiles, dataFiles, makePrivateDirectory } from '../../src/files.ts';
import { createLog } from '../../src/log.ts';
import { claim, type DialOptions, dial, type Paired, type Wired } from './browser.ts';

export interface World {
  readonly companion: Companion;
  readonly files: DataFiles;
  /** Every line logged. */
  readonly log: string[];
  clock: number;
  pair(options?: Parameters<typeof claim>[2]): Promise<Paired>;
  connect(paired?: Paired, options?: DialOptions): Promise<Wired>;
  /** Stops the companion and starts it again on the same port and directory. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface WorldOptions extends Partial<Omit<CompanionOptions, 'config' | 'files'>> {
  readonly flags?: Readonly<Record<string, unknown>>;
}

export function temporaryDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'throughline-test-'));
}

export function testConfig(data: string, flags: Readonly<Record<string, unknown>> = {}): Config {
  return loadConfig({ file: null, environment: {}, flags, defaultData: data });
}

export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const directory = temporaryDirectory();
  const files = dataFiles(join(directory, 'data'));
  makePrivateDirectory(files.directory);
  const log: string[] = [];
  const { flags, ...rest } = options;
  const wired: Wired[] = [];
  const start = (ports: readonly number[]): Promise<Companion> =>
    startCompanion({
      // Tests write times of their own; only a test of retention wants them judged.
      config: testConfig(files.directory, { retentionDays: 36_500, ...flags }),
      files,
      ephemeral: false,
      ports,
      log: createLog('debug', (line) => log.push(line)),
      now: () => world.clock,
      environment: {},
      pullMilliseconds: 300,
      ...rest,
    });
  const world = {
    files,
    log,
    clock: Date.now(),
    async pair(claiming: Parameters<typeof claim>[2] = {}) {
      const paired = await claim(world.companion.port, world.companion.secrets.issue(), claiming);
      if (typeof paired === 'number') throw new Error(`pairing answered ${paired}`);
      return paired;
    },
    async connect(paired?: Paired, dialing: DialOptions = {}) {
      const line = await dial(world.companion.port, paired ?? (await world.pair()), dialing);
      if (line === null) throw new Error('the companion did not accept the connection');
      wired.push(line);
      return line;
    },
    async restart() {
      const { port } = world.companion;
      await world.companion.close();
      world.companion = await start([port]);
    },
    async close() {
      for (const line of wired) line.close();
      await world.companion.close();
      rmSync(directory, { recursive: true, force: true });
    },
  } as World & { companion: Companion };
  world.companion = await start([0]);
  return world;
}
