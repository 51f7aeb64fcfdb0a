/** A client of the http lane that takes down what it receives: head, reads, trailers, and how it ended. */
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { openLaneKeys } from '../../src/lane/keys.ts';
import type { World } from './world.ts';

export interface Got {
  readonly status: number;
  readonly statusText: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  /** Each read as it came. */
  readonly reads: readonly Buffer[];
  readonly body: Buffer;
  readonly text: string;
  readonly trailers: NodeJS.Dict<string>;
  /** The answer ended as HTTP says an answer ends; otherwise the client saw an error. */
  readonly whole: boolean;
}

export interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Uint8Array;
  readonly agent?: Agent;
  /** Told of each read; may end the request. */
  readonly onRead?: (read: Buffer, leave: () => void) => void;
  /** The head is there. */
  readonly onHead?: (headers: IncomingHttpHeaders) => void;
  /** Resolves when the client goes away before an answer. */
  readonly leave?: Promise<unknown>;
}

/** One request on a connection of its own; rejects only when there was no answer at all. */
export function ask(url: string, asking: Asking = {}): Promise<Got> {
  const { method = 'POST', headers = {}, body, agent = new Agent({ keepAlive: false }) } = asking;
  return new Promise((resolve, reject) => {
    const target = new URL(url);
    // The path is sent as it stands: no library of ours may tidy it up.
    const path = url.slice(target.origin.length);
    const given = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const running = request(
      { host: target.hostname, port: target.port, path, method, agent, headers: { ...given, ...headers } },
      (response) => {
        const reads: Buffer[] = [];
        asking.onHead?.(response.headers);
        response.on('data', (read: Buffer) => {
          reads.push(read);
          asking.onRead?.(read, () => running.destroy());
        });
        response.on('error', () => undefined);
        response.on('close', () => {
          const bytes = Buffer.concat(reads);
          resolve({
            status: response.statusCode ?? 0,
            statusText: response.statusMessage ?? '',
            ...{ headers: response.headers, rawHeaders: response.rawHeaders, reads, body: bytes, text: bytes.toString('utf8') },
            ...{ trailers: response.trailers, whole: response.complete },
          });
        });
      },
    );
    running.on('error', reject);
    void asking.leave?.then(() => running.destroy());
    running.end(body);
  });
}

export interface Lane {
  readonly key: string;
  readonly scope: string;
  /** The URL that stands for this one of a provider. */
  at(url: string): string;
  /** A JSON request to it. */
  post(url: string, body: string, headers?: Readonly<Record<string, string>>, more?: Asking): Promise<Got>;
}

/** A lane of this companion under a key of its own. */
export function laneOf(
  world: World,
  { name = 'agent', origin = null, scope = null }: { name?: string; origin?: string | null; scope?: string | null } = {},
): Lane {
  const made = openLaneKeys(world.files.lanes).issue({ name, scope, origin, paired: scope !== null, at: 1 });
  const at = (url: string): string => `http://127.0.0.1:${world.companion.port}/lane/${made.key}/${url}`;
  return {
    key: made.key ?? '',
    scope: made.scope,
    at,
    post: (url, body, headers = {}, more = {}) =>
      ask(at(url), { body, ...more, headers: { 'content-type': 'application/json', ...headers } }),
  };
}

/** Waits for something the other side does on its own. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1_000; tries += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`waited in vain: ${what}`);
}
