/** The session a person named: by its id, or by the beginning of one. */
import type { SessionRecord } from '@throughline/shared/session/records';
import { Fault } from '../fault.ts';
import type { Reading } from './reading.ts';

const EVERY = 100_000_000;

/** Every stored session, most recently used first. */
export async function allSessions(from: Reading, limit = EVERY): Promise<readonly SessionRecord[]> {
  return ((await from.get(`/api/sessions?limit=${limit}`)) as { sessions: SessionRecord[] }).sessions;
}

/** The path of a session in the API. */
export function pathOf({ scope, session }: SessionRecord, part = ''): string {
  return `/api/sessions/${encodeURIComponent(session)}${part}?scope=${encodeURIComponent(scope)}`;
}

export async function oneSession(from: Reading, asked: string): Promise<SessionRecord> {
  const matches = (await allSessions(from)).filter((one) => one.session.startsWith(asked));
  const exact = matches.filter((one) => one.session === asked);
  const [record, ...more] = exact.length > 0 ? exact : matches;
  if (record !== undefined && more.length === 0) return record;
  const sentence = more.length > 0 ? 'More than one session begins like that.' : 'There is no such session.';
  throw new Fault('unknown-session', sentence, 'List them with "throughline sessions".');
}
