/**
 * Headers in both directions. Upstream gets what the page set, minus what belongs to a connection or a cookie jar; the page gets
 * what the provider sent, minus the same. Nothing is added but `accept-encoding: identity`, so that bytes match their headers. A client
 * that speaks HTTP itself (the http lane) keeps its own cookies and codings, in both directions.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { readableCodings } from './encoding.ts';

export type HeaderList = readonly (readonly [string, string])[];

const CONNECTION = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'http2-settings',
]);
const NEVER_SENT = new Set([
  'host',
  'content-length',
  'cookie',
  'cookie2',
  'accept-encoding',
  'set-cookie',
  'via',
  'forwarded',
]);
const NEVER_RETURNED = new Set(['set-cookie', 'set-cookie2', 'alt-svc', 'strict-transport-security', 'clear-site-data']);

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** As the frames' schema has it; more is cut off, whole headers at a time. */
const MAX_HEADERS = 128;
const MAX_NAME = 256;
const MAX_VALUE = 16_384;

/** Names that belong to this connection because its `connection` lines say so. */
function namedByConnection(headers: HeaderList): ReadonlySet<string> {
  const lines = headers.filter(([name]) => name.toLowerCase() === 'connection');
  return new Set(lines.flatMap(([, value]) => value.toLowerCase().split(/\s*,\s*/)));
}

/** Flat name/value list for the upstream request, or null when a name or value cannot be sent as it is. */
export function upstreamHeaders(headers: HeaderList): string[] | null {
  const named = namedByConnection(headers);
  const flat: string[] = ['accept-encoding', 'identity'];
  for (const [rawName, value] of headers) {
    const name = rawName.toLowerCase();
    if (!NAME.test(name) || !VALUE.test(value)) return null;
    if (CONNECTION.has(name) || NEVER_SENT.has(name) || named.has(name) || /^(sec-|proxy-)/.test(name)) continue;
    flat.push(name, value);
  }
  return flat;
}

/**
 * The same for a client that speaks HTTP itself: all it set, as it spelled it, minus what belongs to its connection. Of the codings it
 * takes those stay that can be read here, too.
 */
export function clientHeaders(headers: HeaderList): string[] | null {
  const named = namedByConnection(headers);
  const flat: string[] = [];
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    if (!NAME.test(name) || !VALUE.test(value)) return null;
    if (CONNECTION.has(lower) || named.has(lower) || lower === 'host' || lower === 'content-length') continue;
    flat.push(name, lower === 'accept-encoding' ? readableCodings(value) : value);
  }
  return flat;
}

/** One use of such a key is one body: ours is another one, which would be refused, or answered with the stored answer. */
const ONE_BODY = new Set(['idempotency-key', 'x-idempotency-key']);

/** The client's headers, flat, for a call of our own; `accept` says what we read when the answer is not for the client. */
export function ownHeaders(flat: readonly string[], accept: string | null = null): string[] {
  const own: string[] = [];
  for (let at = 0; at + 1 < flat.length; at += 2) {
    const [name = '', value = ''] = flat.slice(at, at + 2);
    const lower = name.toLowerCase();
    const reading = lower === 'accept' || lower === 'accept-encoding';
    if (!ONE_BODY.has(lower) && !(reading && accept !== null)) own.push(name, value);
  }
  return accept === null ? own : [...own, 'accept-encoding', 'identity', 'accept', accept];
}

/** What the page may see of the provider's headers; `decoded` when the body was unpacked here. */
export function pageHeaders(headers: IncomingHttpHeaders, decoded: boolean): [string, string][] {
  const list: [string, string][] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || CONNECTION.has(name) || NEVER_RETURNED.has(name)) continue;
    if (decoded && (name === 'content-encoding' || name === 'content-length')) continue;
    for (const one of Array.isArray(value) ? value : [value]) {
      if (list.length < MAX_HEADERS && name.length <= MAX_NAME && one.length <= MAX_VALUE) list.push([name, one]);
    }
  }
  return list;
}

/** Header lines, one per value. */
export function headerLines(headers: Readonly<Record<string, string | string[] | undefined>>): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : value === undefined ? [] : [value]).map((one): [string, string] => [name, one]),
  );
}

/** What a client that speaks HTTP itself gets of the provider's headers: everything but what belongs to the connection, or looks like ours. */
export function passedHeaders(headers: IncomingHttpHeaders): [string, string][] {
  const lines = headerLines(headers);
  const named = namedByConnection(lines);
  return lines.filter(
    ([name]) => name === 'trailer' || !(CONNECTION.has(name) || named.has(name) || name.startsWith('x-throughline-')),
  );
}
