/** The running companion of a data directory, as other commands find and ask it. */
import { request } from 'node:http';
import * as v from 'valibot';
import { Fault } from '../fault.ts';
import { type DataFiles, readPrivateFile } from '../files.ts';

const about = v.object({ pid: v.number(), port: v.number(), companionId: v.string(), startedAt: v.number() });
export type About = v.InferOutput<typeof about>;

/** What `<data>/companion.json` says, or null. */
export function readAbout(files: DataFiles): About | null {
  const text = readPrivateFile(files.companion);
  if (text === null) return null;
  try {
    return v.parse(about, JSON.parse(text));
  } catch {
    // Not ours, or half written by a version long gone: as good as none.
    return null;
  }
}

const notRunning = (): Fault =>
  new Fault(
    'not-running',
    'The companion is not running here.',
    'Start it with "throughline serve", or name its data directory with --data.',
  );

interface Answer {
  readonly status: number;
  readonly body: string;
}

function get(port: number, path: string, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asking = request({ host: '127.0.0.1', port, path, headers, timeout: 10_000, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts).toString('utf8') }));
      response.on('error', reject);
    });
    asking.on('timeout', () => asking.destroy(new Error('timeout')));
    asking.on('error', reject);
    asking.end();
  });
}

/** The running companion, after it said who it is. */
export async function findRunning(files: DataFiles): Promise<About> {
  const found = readAbout(files);
  if (found === null) throw notRunning();
  const answer = await get(found.port, '/health', {}).catch(() => null);
  if (answer === null) throw notRunning();
  let health: unknown = null;
  try {
    health = JSON.parse(answer.body);
  } catch {
    // Something else listens there; the comparison below says so.
  }
  if ((health as { companionId?: unknown } | null)?.companionId !== found.companionId) throw notRunning();
  return found;
}

/** `GET /api/…` of the companion found there; null for 404. */
export async function askRunning(files: DataFiles, port: number, path: string): Promise<unknown> {
  const key = readPrivateFile(files.apiKey)?.trim() ?? '';
  const answer = await get(port, path, { authorization: `Bearer ${key}` });
  if (answer.status === 404) return null;
  if (answer.status !== 200) {
    throw new Fault('refused', `The companion refused the question (${answer.status}).`, 'Restart it, then try again.');
  }
  return JSON.parse(answer.body);
}

/** The running companion, or null. */
export async function lookForRunning(files: DataFiles): Promise<About | null> {
  return findRunning(files).catch((error: unknown) => {
    if (error instanceof Fault) return null;
    throw error;
  });
}
