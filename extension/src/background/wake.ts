/**
 * What happens when the background starts: once after installing or updating, and at each start of the browser. Ordinary wakes do
 * nothing but answer what woke them.
 */
import type { SessionId } from '@throughline/shared/base/brand';
import type { SessionRecord } from '@throughline/shared/session/records';
import { Dexie } from 'dexie';
import type { LedgerPointer } from '../ledger/ledger.ts';
import type { Box } from './box.ts';

const DAY = 24 * 60 * 60 * 1000;
/** Nothing used within this time is ever dropped, whatever the setting says. */
const KEPT_DAYS = 7;
/** A broken database is kept this long, so that it can still be looked at. */
const BROKEN_DAYS = 7;

/** Sessions whose last use is older than the person wants to keep. */
export function expired(records: readonly SessionRecord[], retentionDays: number, now: number): readonly SessionId[] {
  const oldest = now - Math.max(KEPT_DAYS, retentionDays) * DAY;
  return records.filter((record) => record.usedAt < oldest).map((record) => record.session);
}

export interface TidyWorld {
  readonly tidiedAt: Box<number>;
  readonly pointer: Box<LedgerPointer>;
  readonly retentionDays: () => Promise<number>;
  readonly records: () => Promise<readonly SessionRecord[]>;
  readonly forget: (session: SessionId) => Promise<void>;
  readonly now: () => number;
}

/** Retention by age and the end of old broken databases; at most once a day. */
export async function tidy(world: TidyWorld): Promise<void> {
  const now = world.now();
  if (now - ((await world.tidiedAt.get()) ?? 0) < DAY) return;
  await world.tidiedAt.set(now);
  for (const session of expired(await world.records(), await world.retentionDays(), now)) await world.forget(session);
  const pointer = await world.pointer.get();
  if (!pointer) return;
  const old = pointer.broken.filter(({ at }) => now - at > BROKEN_DAYS * DAY);
  for (const { name } of old) await Dexie.delete(name);
  // The names stay out of the list only when they are really gone.
  if (old.length > 0) await world.pointer.set({ ...pointer, broken: pointer.broken.filter((entry) => !old.includes(entry)) });
}
