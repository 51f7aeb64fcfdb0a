/**
 * Carries an act out: on the data directory itself when nobody holds it, else by asking the companion that does.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { askFor } from '../acts/asked.ts';
import { faultOf, type Outcome, perform } from '../acts/perform.ts';
import type { Act } from '../acts/world.ts';
import type { Config } from '../config.ts';
import { Fault } from '../fault.ts';
import type { DataFiles } from '../files.ts';
import { errorCode } from '../log.ts';
import { openPairings } from '../pairing/pairings.ts';
import { openDatabase } from '../store/open.ts';
import { createSqliteStore } from '../store/sqlite.ts';
import { runningOrHeld } from './reading.ts';
import { lookForRunning } from './running.ts';

const LOOK_MILLISECONDS = 50;
/** Looks after which the companion is asked whether it is still there. */
const CHECK_EVERY = 40;

async function actHere(wanted: Act, files: DataFiles, config: Config): Promise<Outcome> {
  const pairings = openPairings(files.pairings);
  const store = createSqliteStore(openDatabase(files.database, Date.now).database);
  try {
    return await perform(wanted, {
      ...{ files, store, now: Date.now, retentionDays: config.retentionDays },
      scopes: () => [...new Set([...pairings.scopes(), ...store.scopes()])],
      // Tombstones and what is new here reach the extension when it next connects.
      forget: store.forget,
      taken: async (sessions) => {
        for (const scope of new Set(sessions.map((one) => one.record.scope))) pairings.lacks(scope);
      },
    });
  } catch (error) {
    throw faultOf(error, errorCode(error));
  } finally {
    await store.close();
  }
}

async function actThere(wanted: Act, files: DataFiles): Promise<Outcome> {
  const asking = askFor(files, wanted);
  try {
    for (let looks = 1; ; looks += 1) {
      const outcome = asking.answer();
      if (outcome !== null) return outcome;
      if (looks % CHECK_EVERY === 0 && (await lookForRunning(files)) === null) {
        throw new Fault('stopped', 'The companion stopped before it answered.', 'Try again.');
      }
      await sleep(LOOK_MILLISECONDS);
    }
  } finally {
    asking.end();
  }
}

export async function carryOut(wanted: Act, files: DataFiles, config: Config): Promise<Outcome> {
  const found = await runningOrHeld(files);
  if ('port' in found) return actThere(wanted, files);
  try {
    return await actHere(wanted, files, config);
  } finally {
    found.lock.release();
  }
}
