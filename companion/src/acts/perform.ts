/** One act, whoever asked for it; what it did, for the person. */
import { Fault } from '../fault.ts';
import { type Forgotten, forget } from './forget.ts';
import { type TakenIn, takeIn } from './take-in.ts';
import type { Act, ActWorld } from './world.ts';

export type Outcome = Forgotten | TakenIn;

export async function perform(asked: Act, world: ActWorld): Promise<Outcome> {
  return asked.act === 'forget' ? forget(asked, world) : takeIn(asked, world);
}

/** What reaches the asker of an act that did not succeed. */
export function faultOf(error: unknown, code: string): Fault {
  if (error instanceof Fault) return error;
  return new Fault('act-failed', `It could not be done (${code}).`, 'Check the disk and the log, then try again.');
}
