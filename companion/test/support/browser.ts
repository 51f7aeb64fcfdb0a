/**
 * A scripted extension: pairs, shakes hands, opens turns and keeps its own store like the real background does, without a browser.
 */
import { createECDH, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { drive } from '@throughline/shared/base/digest';
import { parseJson } from '@throughline/shared/base/json';
import { chainsOf } from '@throughline/shared/chain/chain';
import { BODY_LAST, BODY_PIECE, parseBinary, renderBinary } from '@throughline/shared/protocol/binary';
import { parseCompanionFrame } from '@throughline/shared/protocol/codec';
import { computeDelta, deltaMiddle } from '@throughline/shared/protocol/delta';
import type { CompanionToExtension, TurnOpen } from '@throughline/shared/protocol/frames';
import { handshakeWords, PAIR_INFO, pairAnswerWords, pairClaimWords } from '@throughline/shared/protocol/pairing';
import { recognise } from '@throughline/shared/wire/registry';
import { WebSocket } from 'ws';
import { nodeSha256 } from '../../src/hash.ts';

export const CHROME = 'chrome-extension://abcdefghijklmnopabcdefghijklmnop';
export const FIREFOX = 'moz-extension://01234567-89ab-cdef-0123-456789abcdef';

export const hmac = (key: Uint8Array, words: string): string => createHmac('sha256', key).update(words).digest('hex');
export const sha = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

export interface Paired {
  readonly client: string;
  readonly origin: string;
  readonly key: Buffer;
  readonly companionId: string;
}

export interface ClaimOptions {
  readonly client?: string;
  readonly origin?: string;
  readonly mac?: string;
  readonly publicKey?: string;
  readonly contentType?: string;
}

/** Sends a claim for this secret; the pairing when it was accepted and its answer holds, else the HTTP status. */
export async function claim(port: number, secret: string, options: ClaimOptions = {}): Promise<Paired | number> {
  const client = options.client ?? `browser-${randomBytes(4).toString('hex')}`;
  const origin = options.origin ?? CHROME;
  const ours = createECDH('prime256v1');
  const publicKey = options.publicKey ?? ours.generateKeys('hex', 'uncompressed');
  if (options.publicKey !== undefined) ours.generateKeys();
  const words = { client, origin, publicKey };
  const bytes = Buffer.from(secret, 'hex');
  const mac = options.mac ?? hmac(bytes, pairClaimWords(words, port));
  const response = await fetch(`http://127.0.0.1:${port}/pair`, {
    method: 'POST',
    headers: { 'content-type': options.contentType ?? 'application/json', origin },
    body: JSON.stringify({ v: 1, client, publicKey, mac }),
  });
  if (response.status !== 200) return response.status;
  const answer = (await response.json()) as { companionId: string; publicKey: string; mac: string };
  if (answer.mac !== hmac(bytes, pairAnswerWords(words, answer.companionId, answer.publicKey, port))) throw new Error('forged');
  const shared = ours.computeSecret(Buffer.from(answer.publicKey, 'hex'));
  const key = Buffer.from(hkdfSync('sha256', shared, bytes, PAIR_INFO, 32));
  return { client, origin, key, companionId: answer.companionId };
}

export type Heard = CompanionToExtension;

export interface Wired {
  readonly scope: string;
  readonly restore: number;
  /** Every text frame after `ready`, in order. */
  readonly frames: Heard[];
  readonly chunks: { stream: number; bytes: Buffer }[];
  /** Frames and chunks in the order in which they came. */
  readonly order: string[];
  send(frame: object): void;
  sendRaw(data: string | Uint8Array): void;
  /** The first frame that fits, past or future. */
  wait<T extends Heard['t']>(t: T, fits?: (frame: Extract<Heard, { t: T }>) => boolean): Promise<Extract<Heard, { t: T }>>;
  /** Resolves when the condition holds; looked at after every message. */
  until(condition: () => boolean): Promise<void>;
  closed: Promise<void>;
  close(): void;
}

export interface DialOptions {
  readonly store?: string;
  readonly sessions?: number;
  readonly proto?: [number, number];
  readonly origin?: string;
  readonly key?: Buffer;
  readonly port?: number;
  readonly mac?: string;
  readonly beforeProof?: (challenge: { nonce: string; mac: string }) => void;
}

/** A raw socket with a reading queue, for handshake attacks. */
export function rawSocket(
  port: number,
  origin: string,
  path = '/socket',
): {
  socket: WebSocket;
  opened: Promise<boolean>;
  closed: Promise<void>;
  next(): Promise<Heard | null>;
  /** From now on every frame goes here at once, what is queued first. */
  listen(hear: (frame: Heard) => void): void;
} {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers: { origin }, perMessageDeflate: false });
  const queue: Heard[] = [];
  const waiting: ((frame: Heard | null) => void)[] = [];
  let over = false;
  let hearing: ((frame: Heard) => void) | null = null;
  socket.on('message', (data, binary) => {
    if (binary) return;
    const parsed = parseCompanionFrame(String(data));
    if (!parsed.ok) throw new Error(`companion said nonsense: ${parsed.problem}`);
    if (hearing !== null) return hearing(parsed.frame);
    const take = waiting.shift();
    if (take === undefined) queue.push(parsed.frame);
    else take(parsed.frame);
  });
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => {
      over = true;
      for (const take of waiting.splice(0)) take(null);
      resolve();
    });
  });
  const opened = new Promise<boolean>((resolve) => {
    socket.on('open', () => resolve(true));
    socket.on('error', () => resolve(false));
  });
  const next = (): Promise<Heard | null> => {
    const first = queue.shift();
    if (first !== undefined) return Promise.resolve(first);
    if (over) return Promise.resolve(null);
    return new Promise((resolve) => waiting.push(resolve));
  };
  const listen = (hear: (frame: Heard) => void): void => {
    hearing = hear;
    for (const frame of queue.splice(0)) hear(frame);
  };
  return { socket, opened, closed, next, listen };
}

/** Connects and proves the key; null when the companion closed before `ready`. */
export async function dial(port: number, paired: Paired, options: DialOptions = {}): Promise<Wired | null> {
  const raw = rawSocket(port, options.origin ?? paired.origin);
  if (!(await raw.opened)) return null;
  const nonce = randomBytes(16).toString('hex');
  const store = options.store ?? 'store-1';
  const proto = options.proto ?? [1, 1];
  const key = options.key ?? paired.key;
  raw.socket.send(
    JSON.stringify({ t: 'hello', proto, client: paired.client, nonce, version: '0', store, sessions: options.sessions ?? 1 }),
  );
  const challenge = await raw.next();
  if (challenge?.t !== 'challenge') return null;
  const words = {
    proto: challenge.proto,
    client: paired.client,
    clientNonce: nonce,
    companionId: challenge.companionId,
    companionNonce: challenge.nonce,
    origin: options.origin ?? paired.origin,
    port: options.port ?? port,
    store,
  };
  if (options.key === undefined && challenge.mac !== hmac(key, handshakeWords('s', words))) {
    raw.socket.terminate();
    return null;
  }
  options.beforeProof?.(challenge);
  raw.socket.send(JSON.stringify({ t: 'proof', mac: options.mac ?? hmac(key, handshakeWords('c', words)) }));
  const ready = await raw.next();
  if (ready?.t !== 'ready') return null;
  return wire(raw, ready);
}

function wire(raw: ReturnType<typeof rawSocket>, ready: Extract<Heard, { t: 'ready' }>): Wired {
  const frames: Heard[] = [];
  const chunks: { stream: number; bytes: Buffer }[] = [];
  const order: string[] = [];
  const looking = new Set<() => void>();
  const look = (): void => {
    for (const one of [...looking]) one();
  };
  raw.listen((frame) => {
    frames.push(frame);
    order.push(frame.t);
    look();
  });
  raw.socket.on('message', (data, binary) => {
    if (!binary) return;
    const frame = parseBinary(data as Buffer);
    if (frame === null) throw new Error('companion sent a bad binary frame');
    chunks.push({ stream: frame.stream, bytes: Buffer.from(frame.payload) });
    order.push('chunk');
    look();
  });
  const until = (condition: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const one = (): void => {
        if (!condition()) return;
        looking.delete(one);
        clearInterval(timer);
        resolve();
      };
      // Conditions may also be about the other end, which sends nothing here.
      const timer = setInterval(one, 5);
      looking.add(one);
      void raw.closed.then(() => {
        clearInterval(timer);
        reject(new Error('closed while waiting'));
      });
      one();
    });
  return {
    scope: ready.scope,
    restore: ready.restore,
    frames,
    chunks,
    order,
    send: (frame) => raw.socket.send(JSON.stringify(frame)),
    sendRaw: (data) => raw.socket.send(data),
    async wait(t, fits) {
      type Wanted = Extract<Heard, { t: typeof t }>;
      const find = (): Wanted | undefined =>
        frames.find((one): one is Wanted => one.t === t && (fits?.(one as Wanted) ?? true));
      await until(() => find() !== undefined);
      return find() as Wanted;
    },
    until,
    closed: raw.closed,
    close: () => raw.socket.terminate(),
  };
}

export interface OpenOptions {
  readonly stream?: number;
  readonly session?: string;
  readonly rev?: number;
  readonly headers?: [string, string][];
  readonly site?: string;
  readonly base?: Uint8Array;
  readonly fold?: 'auto' | 'off';
  readonly at?: number;
  readonly over?: Partial<TurnOpen>;
}

/** The `turn.open` frame and body bytes for a request to `url`. */
export function openFrame(url: string, body: string, options: OpenOptions = {}): { frame: TurnOpen; middle: Uint8Array } {
  const bytes = Buffer.from(body, 'utf8');
  const document = parseJson(body);
  const wireOfBody = document === null ? null : recognise({ method: 'POST', url }, document);
  if (document === null || wireOfBody === null) throw new Error('the test body is of no wire');
  const chains = drive(chainsOf(wireOfBody.parse({ method: 'POST', url }, document, nodeSha256)), nodeSha256);
  const head = (domain: 2 | 3) => ({ link: chains[domain].links.at(-1) as string, depth: chains[domain].links.length });
  const delta = options.base === undefined ? null : computeDelta(options.base, bytes);
  const reason = { compared: 0, head: null, next: null, code: 'nothing-known' };
  const frame: TurnOpen = {
    t: 'turn.open',
    stream: options.stream ?? 1,
    session: options.session ?? 'tl-test',
    rev: options.rev ?? 0,
    wire: wireOfBody.id,
    resolution: { via: 'new', depth: 0, incoming: chains[2].links.length, domain: null, lineage: null, reason },
    heads: { 2: head(2), 3: head(3) },
    signal: { site: options.site ?? new URL(url).origin, document: 'doc-1' },
    upstream: { url, method: 'POST', headers: options.headers ?? [['content-type', 'application/json']] },
    body: { digest: sha(bytes), length: bytes.length },
    base: delta === null || options.base === undefined ? null : { digest: sha(options.base), ...delta },
    fold: options.fold ?? 'auto',
    at: options.at ?? 1_700_000_000_000,
    ...options.over,
  };
  return { frame, middle: delta === null ? bytes : deltaMiddle(bytes, delta) };
}

/** Sends a whole turn: the frame, then the body in pieces. */
export function sendTurn(wired: Wired, { frame, middle }: { frame: TurnOpen; middle: Uint8Array }, piece = 64 * 1024): void {
  wired.send(frame);
  let at = 0;
  for (; middle.length - at > piece; at += piece) {
    wired.sendRaw(renderBinary(BODY_PIECE, frame.stream, middle.subarray(at, at + piece)));
  }
  wired.sendRaw(renderBinary(BODY_LAST, frame.stream, middle.subarray(at)));
}

/** Bytes delivered on one stream. */
export function delivered(wired: Wired, stream: number): Buffer {
  return Buffer.concat(wired.chunks.filter((one) => one.stream === stream).map((one) => one.bytes));
}
