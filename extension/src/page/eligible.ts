/**
 * Which calls of `fetch` are ours to take, decided synchronously from the arguments, and a faithful copy of the request for those.
 *
 * Invariant: what the page passed stays sendable: no body of the page is consumed without a clone kept, streams are never touched,
 * and a body the page could change afterwards is copied at the moment of the call, as the browser itself would do.
 * Failure direction: the page's own fetch with the page's own arguments: null for what is no wire's request, a code for one that
 * we could not reproduce, so that the popup can say so.
 */

/** Natives as they were before the page's first script. */
const {
  Request: NativeRequest,
  URL: NativeUrl,
  FormData: NativeForm,
  Blob: NativeBlob,
  URLSearchParams: NativeParams,
} = globalThis;

export interface PageContext {
  /** What relative URLs are resolved against. */
  readonly base: string;
  readonly origin: string;
  /** Cookies the page can see; "" for none. Asked only when it matters. */
  cookies(): string;
}

export interface Captured {
  readonly request: Request;
  readonly sameOrigin: boolean;
  /** Arguments that send the same request natively, now or later. */
  readonly nativeArgs: readonly unknown[];
}

/** A request that looks like a wire's and leaves natively all the same. */
export interface Passed {
  readonly passed: 'cookies' | 'options' | 'body-kind';
  readonly url: string;
}

/** The ends of the paths of every wire. The body is looked at later, in the background. */
const WIRE_PATH = /\/chat\/completions\/?$|\/messages\/?$|\/responses\/?$|:(?:stream)?generatecontent$|\/api\/chat\/?$/i;

/** Whether a request to this URL may be a wire. Shared by every way a page can send one. */
export function mayBeWire(url: URL): boolean {
  return /^https?:$/.test(url.protocol) && url.username + url.password === '' && WIRE_PATH.test(url.pathname);
}

/** Whether we can reproduce what the browser would send along: with cookies we cannot. */
function credentialsCarry(credentials: string, sameOrigin: boolean, cookies: () => string): boolean {
  return sameOrigin ? credentials === 'omit' || cookies() === '' : credentials !== 'include';
}

type Init = RequestInit & Record<string, unknown>;

/** What `fetch` would use: the init's value, else the Request's, else the default. */
function effective(name: string, init: Init | undefined, request: Request | null, fallback: unknown): unknown {
  const own = init?.[name];
  if (own !== undefined) return own;
  return request ? (request as unknown as Record<string, unknown>)[name] : fallback;
}

/** Options with a meaning at the network that the companion cannot give them, and what they may be; the first is the default. */
const MUST_BE: readonly (readonly [string, readonly unknown[]])[] = [
  ['mode', ['cors', 'same-origin']],
  ['cache', ['default']],
  ['redirect', ['follow']],
  ['integrity', ['']],
  ['keepalive', [false]],
  ['targetAddressSpace', [undefined, 'unknown', '']],
];

/** What a copy of this body is, or null when it is no body we take. Strings and blobs cannot change: they are their own copy. */
function copyOfBody(body: unknown): BodyInit | null {
  if (typeof body === 'string' || body instanceof NativeBlob) return body;
  if (body instanceof NativeParams) return new NativeParams(body);
  if (body instanceof ArrayBuffer) return body.slice(0);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer as ArrayBuffer, body.byteOffset, body.byteLength).slice();
  return null;
}

function urlOf(input: unknown, base: string): URL | null {
  if (input instanceof NativeRequest) return new NativeUrl(input.url);
  return typeof input === 'string' || input instanceof NativeUrl ? new NativeUrl(String(input), base) : null;
}

/** The captured request, or why it is not taken. Throws only where the page's own fetch would refuse as well. */
export function capture(args: readonly unknown[], context: PageContext): Captured | Passed | null {
  const input = args[0];
  const init = (args[1] ?? undefined) as Init | undefined;
  const given = input instanceof NativeRequest ? input : null;
  const url = urlOf(input, context.base);
  if (url === null || !mayBeWire(url)) return null;
  if (String(effective('method', init, given, 'GET')).toUpperCase() !== 'POST') return null;
  const pass = (passed: Passed['passed']): Passed => ({ passed, url: url.href });
  if (MUST_BE.some(([name, allowed]) => !allowed.includes(effective(name, init, given, allowed[0])))) return pass('options');
  const sameOrigin = url.origin === context.origin;
  if (effective('mode', init, given, 'cors') === 'same-origin' && !sameOrigin) return null;
  if (!credentialsCarry(String(effective('credentials', init, given, 'same-origin')), sameOrigin, context.cookies))
    return pass('cookies');
  const signal = effective('signal', init, given, null) as AbortSignal | null;
  if (signal?.aborted) return null;
  const captured =
    init?.body != null ? fromInit(input, init, sameOrigin, url) : given ? fromRequest(given, args, init, sameOrigin) : null;
  return captured ?? pass('body-kind');
}

/** The body is in the init: a Request among the arguments, if any, is not consumed by this call. */
function fromInit(input: unknown, init: Init, sameOrigin: boolean, url: URL): Captured | null {
  if (init.body instanceof NativeForm) return null;
  const body = copyOfBody(init.body);
  if (body === null) return null;
  const request = new NativeRequest(input instanceof NativeRequest ? input : url, init);
  const plain = Object.getPrototypeOf(init) === Object.prototype;
  return { request, sameOrigin, nativeArgs: [input, body === init.body || !plain ? init : { ...init, body }] };
}

/** The body is the Request's own: one clone stays for the native way, and the page sees `bodyUsed` as with its own fetch. */
function fromRequest(given: Request, args: readonly unknown[], init: Init | undefined, sameOrigin: boolean): Captured | null {
  if (given.bodyUsed || given.body === null) return null;
  if (/^multipart\//i.test(given.headers.get('content-type') ?? '')) return null;
  const spare = given.clone();
  const nativeArgs = [spare, ...args.slice(1)];
  const request = new NativeRequest(given, init);
  return { request, sameOrigin, nativeArgs };
}
