/** A key that a page of one origin may use: what the browser asks first, and what the page may see. Every other key has none of it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LaneKey } from './keys.ts';

type Headers = readonly (readonly [string, string])[];

const EXPOSED = ['session', 'via', 'depth', 'lineage', 'tokens', 'note'].map((name) => `x-throughline-${name}`).join(', ');

/** The headers for an answer to this origin; none when the key allows none. */
export function corsOf(key: LaneKey, origin: string | null): Headers {
  if (origin === null || key.origin !== origin) return [];
  return [
    ['access-control-allow-origin', origin],
    ['access-control-expose-headers', EXPOSED],
    ['vary', 'origin'],
  ];
}

/** True when the browser asks whether it may ask. */
export function isPreflight(request: IncomingMessage, cors: Headers): boolean {
  return request.method === 'OPTIONS' && cors.length > 0 && request.headers['access-control-request-method'] !== undefined;
}

export function answerPreflight(request: IncomingMessage, response: ServerResponse, cors: Headers): void {
  const asked = request.headers['access-control-request-headers'];
  response
    .writeHead(204, {
      ...Object.fromEntries(cors),
      'access-control-allow-methods': request.headers['access-control-request-method'] ?? 'POST',
      ...(asked === undefined ? {} : { 'access-control-allow-headers': asked }),
      'access-control-max-age': '600',
    })
    .end();
}
