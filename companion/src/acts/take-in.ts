/**
 * Taking conversations in from a file: all of them, or none with a reason. What is here is never changed or replaced by it, and what
 * was forgotten here does not come back under its name: only when asked for once more, as a new conversation under a new id.
 */
import { readFileSync, statSync } from 'node:fs';
import type { ScopeId, SessionId } from '@throughline/shared/base/brand';
import type { PortableSession } from '@throughline/shared/session/portable';
import { readPortable } from '@throughline/shared/session/portable-schema';
import type { SessionRecord, Tombstone } from '@throughline/shared/session/records';
import { covers, isForgotten } from '@throughline/shared/session/tombstones';
import { Fault } from '../fault.ts';
import { nodeSha256 } from '../hash.ts';
import { keptSince } from '../retention.ts';
import { replay } from './replay.ts';
import type { ActWorld, ImportAct } from './world.ts';

/** A file this large is no export of ours that could be held in memory. */
const MAX_BYTES = 512 * 1024 * 1024;

export interface TakenIn {
  readonly taken: number;
  /** Of those, how many got a new id because theirs was forgotten here. */
  readonly renamed: number;
  /** Left as they are here. */
  readonly known: number;
  readonly scopes: readonly string[];
}

function textOf(path: string): string {
  try {
    if (statSync(path).size <= MAX_BYTES) return readFileSync(path, 'utf8');
  } catch {
    throw new Fault('no-file', 'The file cannot be read.', 'Check its name and who may read it.');
  }
  throw new Fault('too-large', 'The file is larger than 512 MB.', 'Export fewer conversations at a time.');
}

function sessionsOf(path: string): readonly PortableSession[] {
  const read = readPortable(textOf(path));
  if (read.ok) return read.file.sessions;
  if (read.reason === 'newer') {
    throw new Fault(
      'import-newer',
      'The file was written by a newer Throughline; nothing was taken in.',
      'Update, then try again.',
    );
  }
  if (read.reason === 'not-json' || read.reason === 'not-ours') {
    throw new Fault(
      'not-an-export',
      'The file is no export of Throughline.',
      'Use a file of "throughline export" or the dashboard.',
    );
  }
  throw new Fault(
    'import-broken',
    `The file is damaged at ${read.at.slice(0, 80)}; nothing was taken in.`,
    'Export the conversations again.',
  );
}

/** The scope a session goes to: the one named, else its own when it is known here, else the only one there is. */
function targetOf(record: SessionRecord, asked: ImportAct, scopes: readonly string[]): ScopeId {
  const wanted = asked.into ?? record.scope;
  if (scopes.includes(wanted)) return wanted as ScopeId;
  const [only, ...more] = scopes;
  if (asked.into === null && only !== undefined && more.length === 0) return only as ScopeId;
  if (scopes.length === 0) {
    throw new Fault('no-scope', 'Nobody is paired here, so the conversations would belong to nobody.', 'Pair a browser first.');
  }
  const names = `--into one of: ${scopes.join(', ')}.`;
  if (asked.into !== null) throw new Fault('unknown-scope', 'There is no such scope here.', `Use ${names}`);
  throw new Fault('which-scope', 'The file comes from elsewhere, and several browsers or keys are known here.', `Add ${names}`);
}

/** The id under which a forgotten session may be here again: derived, so that doing it twice is doing it once. */
function newIdFor(record: SessionRecord, tombstones: readonly Tombstone[]): SessionId {
  for (let salt = 0; ; salt += 1) {
    const id = `tl-${nodeSha256(`${record.scope}\u0000again\u0000${record.session}\u0000${salt}`).slice(0, 16)}` as SessionId;
    if (!tombstones.some((one) => one.session === id)) return id;
  }
}

/** The session as it may be stored here, or null when it was forgotten and is not asked for again. */
function admitted(record: SessionRecord, tombstones: readonly Tombstone[], again: boolean, now: number): SessionRecord | null {
  if (!isForgotten(tombstones, record)) return record;
  if (!again) return null;
  const renamed = { ...record, session: newIdFor(record, tombstones) };
  // What forgot a whole site or scope covers everything that was born before it.
  const newest = Math.max(...tombstones.filter((one) => covers(one, renamed)).map((one) => one.at));
  return newest >= renamed.createdAt ? { ...renamed, createdAt: Math.max(now, newest + 1) } : renamed;
}

/** Names of sessions that were renamed, followed wherever a record mentions them. */
function follow(record: SessionRecord, names: ReadonlyMap<string, SessionId>): SessionRecord {
  const { lineage, last } = record;
  const parents = lineage?.parents.map((one) => names.get(one) ?? one);
  const { next } = last.reason;
  const renamed = next === null ? undefined : names.get(next.session);
  return {
    ...record,
    ...(lineage === null || parents === undefined ? {} : { lineage: { ...lineage, parents } }),
    ...(next === null || renamed === undefined
      ? {}
      : { last: { ...last, reason: { ...last.reason, next: { ...next, session: renamed } } } }),
  };
}

export async function takeIn(asked: ImportAct, world: ActWorld): Promise<TakenIn> {
  const now = world.now();
  const scopes = world.scopes();
  const chosen: PortableSession[] = [];
  const names = new Map<string, SessionId>();
  let known = 0;
  let forgotten = 0;
  for (const one of sessionsOf(asked.path)) {
    const scope = targetOf(one.record, asked, scopes);
    const own = { ...one.record, scope };
    const record = admitted(own, await world.store.tombstones(scope), asked.again, now);
    if (record === null) forgotten += 1;
    else if ((await world.store.load(scope, record.session)) !== null) known += 1;
    else {
      if (record.session !== own.session) names.set(own.session, record.session);
      // What is taken in is in use again: age must not remove it the same day.
      const usedAt = record.usedAt < keptSince(now, world.retentionDays) ? now : record.usedAt;
      chosen.push({ ...one, record: { ...record, usedAt } });
    }
  }
  if (forgotten > 0) {
    const sentence = `${forgotten} of these conversations were forgotten here, and forgetting outranks a file; nothing was taken in.`;
    throw new Fault('forgotten', sentence, 'Add --again to take them in as new conversations under new ids.');
  }
  const sessions = chosen.map((one) => ({ ...one, record: follow(one.record, names) }));
  await store(sessions, world);
  await world.taken(sessions);
  return { taken: sessions.length, renamed: names.size, known, scopes: [...new Set(sessions.map((one) => one.record.scope))] };
}

async function store(sessions: readonly PortableSession[], world: ActWorld): Promise<void> {
  const result = 'takeIn' in world.store ? await world.store.takeIn(sessions) : await replay(world.store, sessions);
  if (result !== 'committed') {
    throw new Fault('import-raced', 'Some of these conversations changed meanwhile; nothing was taken in.', 'Try again.');
  }
}
