/**
 * The acts of a running companion: its hot copies go with the rows, and the extensions, which own the conversations of their pages,
 * are told at once; those that are away are told when they connect.
 */
import type { ScopeId, SessionId } from '@throughline/shared/base/brand';
import type { SessionSnapshot, Tombstone } from '@throughline/shared/session/records';
import type { Folder } from '../fold/folder.ts';
import type { Pairings } from '../pairing/pairings.ts';
import type { Replica } from '../replica.ts';
import type { Line } from '../socket/gate.ts';
import { isOfPage, pushOf } from '../socket/restore.ts';
import type { Bodies } from '../turn/bodies.ts';
import type { Limits } from '../turn/limits.ts';
import type { Warm } from '../turn/warm.ts';
import type { ActWorld } from './world.ts';

interface Copies {
  readonly replica: Pick<Replica, 'forget'>;
  readonly folder: Pick<Folder, 'forgotten'>;
  readonly bodies: Pick<Bodies, 'clear'>;
  readonly warm: Pick<Warm, 'clear'>;
  readonly limits: Pick<Limits, 'clear'>;
}

/** Removes what the tombstone covers from the store and from memory. */
export async function forgetHere(tombstone: Tombstone, copies: Copies): Promise<readonly SessionId[]> {
  const { scope, session } = tombstone;
  const removed = await copies.replica.forget(tombstone);
  copies.folder.forgotten(scope, session === null ? removed : [...removed, session]);
  copies.bodies.clear(scope);
  copies.warm.clear(scope);
  copies.limits.clear(scope);
  return removed;
}

export interface OwnedDeps extends Copies {
  readonly lines: ReadonlySet<Line>;
  readonly pairings: Pick<Pairings, 'lacks'>;
}

export function ownedActs(deps: OwnedDeps): Pick<ActWorld, 'forget' | 'taken'> {
  const linesOf = (scope: ScopeId): readonly Line[] => [...deps.lines].filter((line) => line.proven.pairing.scope === scope);
  const push = async (session: SessionSnapshot): Promise<void> => {
    const { scope } = session.record;
    const outcomes = await Promise.all(linesOf(scope).map((line) => line.sendFlushed(pushOf(session))));
    if (!outcomes.includes('sent')) deps.pairings.lacks(scope);
  };
  return {
    async forget(tombstone) {
      const removed = await forgetHere(tombstone, deps);
      for (const line of linesOf(tombstone.scope)) line.send({ t: 'forget', tombstone: { ...tombstone } });
      return removed;
    },
    async taken(sessions) {
      for (const session of sessions) if (isOfPage(session.record)) await push(session);
    },
  };
}
