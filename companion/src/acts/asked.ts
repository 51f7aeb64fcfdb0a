/**
 * How an act reaches a running companion: a private file in its data directory, answered by another. Who can write there owns the
 * data anyway; the HTTP surface stays read-only.
 *
 * What was asked before the start is dropped: its asker was told that it failed.
 */
import { readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { Fault } from '../fault.ts';
import { type DataFiles, readPrivateFile, removePrivateFile, writePrivateFile } from '../files.ts';
import { randomHex } from '../hash.ts';
import { errorCode, type Log } from '../log.ts';
import { faultOf, type Outcome } from './perform.ts';
import { type Act, act } from './world.ts';

/** Where file events are not to be had (some network disks), looking is the way. */
const LOOK_MILLISECONDS = 2_000;
const NAME = /^asked-([0-9a-f]{16})\.json$/;
/** The two files of one act. */
export const ACT_FILE = /^(asked|answered)-[0-9a-f]{16}\.json$/;

const answer = v.variant('ok', [
  v.object({ ok: v.literal(true), outcome: v.record(v.string(), v.unknown()) }),
  v.object({ ok: v.literal(false), code: v.string(), sentence: v.string(), advice: v.string() }),
]);

const pathsOf = (files: DataFiles, id: string): { asked: string; answered: string } => ({
  asked: join(files.directory, `asked-${id}.json`),
  answered: join(files.directory, `answered-${id}.json`),
});

export interface Asking {
  /** The outcome once it is there, else null. Throws the companion's refusal. */
  answer(): Outcome | null;
  /** Takes back what has not been looked at. */
  end(): void;
}

/** Asks the running companion of this directory. */
export function askFor(files: DataFiles, wanted: Act): Asking {
  const { asked, answered } = pathsOf(files, randomHex(8));
  writePrivateFile(asked, JSON.stringify(wanted));
  return {
    answer() {
      const text = readPrivateFile(answered);
      if (text === null) return null;
      const said = v.parse(answer, JSON.parse(text));
      if (!said.ok) throw new Fault(said.code, said.sentence, said.advice);
      return said.outcome as unknown as Outcome;
    },
    end() {
      removePrivateFile(asked);
      removePrivateFile(answered);
    },
  };
}

export interface AskedDeps {
  readonly files: DataFiles;
  readonly log: Log;
  readonly perform: (wanted: Act) => Promise<Outcome>;
}

/** Performs what is asked for, one act after the other; the result stops it and waits for the one under way. */
export function watchAsked({ files, log, perform }: AskedDeps): () => Promise<void> {
  let work: Promise<void> = Promise.resolve();
  let stopped = false;
  for (const name of readdirSync(files.directory)) if (ACT_FILE.test(name)) removePrivateFile(join(files.directory, name));

  const one = async (id: string): Promise<void> => {
    const { asked, answered } = pathsOf(files, id);
    const text = readPrivateFile(asked);
    if (text === null || stopped) return;
    removePrivateFile(asked);
    let said: v.InferInput<typeof answer>;
    try {
      said = { ok: true, outcome: { ...(await perform(v.parse(act, JSON.parse(text)))) } };
    } catch (error) {
      const { code, message, advice } = faultOf(error, errorCode(error));
      log.warn('act-refused', { code });
      said = { ok: false, code, sentence: message, advice };
    }
    writePrivateFile(answered, JSON.stringify(said));
  };
  const look = (): void => {
    work = work
      .then(async () => {
        const ids = readdirSync(files.directory).flatMap((name) => NAME.exec(name)?.[1] ?? []);
        for (const id of ids) await one(id);
      })
      .catch((error: unknown) => log.error('act-failed', { code: errorCode(error) }));
  };

  const timer = setInterval(look, LOOK_MILLISECONDS);
  timer.unref();
  let watcher: ReturnType<typeof watch> | null = null;
  try {
    watcher = watch(files.directory, { persistent: false }, (_, name) => {
      if (name === null || NAME.test(name)) look();
    });
    watcher.on('error', (error) => log.warn('watch-failed', { code: errorCode(error) }));
  } catch (error) {
    // No events on this disk, or too many watchers on this machine: the timer looks.
    log.warn('watch-failed', { code: errorCode(error) });
  }
  return async () => {
    stopped = true;
    clearInterval(timer);
    watcher?.close();
    await work;
  };
}
