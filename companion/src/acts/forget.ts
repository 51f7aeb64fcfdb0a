/**
 * Forgetting, by session, site or everything: rows, index and hot copies go, a tombstone stays for the owner. Files that were set
 * aside because they could not be read may hold anything: they go with everything, and are pointed out otherwise.
 */
import { readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ScopeId, SessionId } from '@throughline/shared/base/brand';
import type { Tombstone } from '@throughline/shared/session/records';
import type { DataFiles } from '../files.ts';
import type { ActWorld, ForgetAct } from './world.ts';

export interface Forgotten {
  readonly sessions: number;
  /** Files set aside as unreadable that were removed, and that are still there. */
  readonly asideRemoved: number;
  readonly asideLeft: number;
}

/** Files of a database that could not be read and was kept. */
function filesSetAside(files: DataFiles): readonly string[] {
  const start = `${basename(files.database)}.corrupt-`;
  return readdirSync(files.directory)
    .filter((name) => name.startsWith(start))
    .map((name) => join(files.directory, name));
}

function tombstonesFor(asked: ForgetAct, world: ActWorld): readonly Tombstone[] {
  const at = world.now();
  if (asked.what === 'session') {
    return [{ scope: asked.scope as ScopeId, session: asked.session as SessionId, site: null, at }];
  }
  const site = asked.what === 'site' ? asked.site : null;
  return world.scopes().map((scope) => ({ scope: scope as ScopeId, session: null, site, at }));
}

export async function forget(asked: ForgetAct, world: ActWorld): Promise<Forgotten> {
  let sessions = 0;
  for (const tombstone of tombstonesFor(asked, world)) sessions += (await world.forget(tombstone)).length;
  const aside = filesSetAside(world.files);
  if (asked.what !== 'all') return { sessions, asideRemoved: 0, asideLeft: aside.length };
  for (const path of aside) rmSync(path, { force: true });
  return { sessions, asideRemoved: aside.length, asideLeft: 0 };
}
