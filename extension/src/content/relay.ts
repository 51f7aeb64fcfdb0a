/**
 * Carries requests between the page's channel and the background's port, in one frame of one page.
 *
 * Invariants: every open that arrives is answered by exactly one of head, native or error, also when the port dies; a request is
 * opened a second time only while nothing says that bytes may be at the provider; ids of different page scripts never mix.
 * Failure direction: native while it is known that nothing was sent; an error otherwise.
 */
import { encodeBase64 } from '../base64.ts';
import type { BackgroundToContent, ContentToBackground, ContentToPage, PageToContent } from '../messages.ts';
import { withinLimits } from './limits.ts';
import { isBadPort } from './ports.ts';
import { bytesOf, newStream, type PortLike, type Stream } from './stream.ts';
import { visibleHeaders } from './visible.ts';

export const MAX_STREAMS = 64;
const ALIVE_MS = 20_000;

export interface RelayEnvironment {
  /** A new port to the background. Throws when the extension is gone. */
  connect(): PortLike;
  /** False when this script is an orphan. */
  alive(): boolean;
  readonly carriesBytes: boolean;
  readonly document: string;
  /** The page's own origin, which the browser would send with every POST. */
  readonly origin: string;
  conversation(): string | null;
  /** Called once, when this script is an orphan and has told every page script to leave. */
  onOrphan(): void;
  every(ms: number, run: () => void): () => void;
}

export interface Relay {
  /** A page script handed over its channel. */
  addPage(page: MessagePort): void;
  /** Every page script un-patches; what is under way goes on where there still is someone to answer it. */
  detach(): void;
  /** The page was frozen and is back: the browser closed its port meanwhile, without a word. */
  thawed(): void;
}

export function createRelay(env: RelayEnvironment): Relay {
  const pages = new Set<MessagePort>();
  const streams = new Map<number, Stream>();
  let port: PortLike | null = null;
  let stopAlive: (() => void) | null = null;
  let ids = 0;
  let detached = false;

  const tell = (stream: Stream, message: ContentToPage, transfer: Transferable[] = []) =>
    stream.page.postMessage(message, transfer);

  function close(id: number): void {
    streams.delete(id);
    if (streams.size > 0) return;
    stopAlive?.();
    stopAlive = null;
  }

  /** Posts on the port, connecting first where needed; false when that is not possible any more. */
  function post(message: ContentToBackground): boolean {
    try {
      port ??= listen(env.connect());
      port.postMessage(message);
      return true;
    } catch {
      // The port died without a word, or the extension is gone: the caller decides with `alive`.
      port = null;
      return false;
    }
  }

  function listen(fresh: PortLike): PortLike {
    fresh.onMessage((message) => receive(message));
    fresh.onDisconnect(() => {
      if (port === fresh) port = null;
      if (env.alive()) onLost(fresh);
      else orphan();
    });
    return fresh;
  }

  function native(id: number, stream: Stream, code: string): void {
    tell(stream, { t: 'native', id: stream.pageId, code });
    // These two are answered with `native-done`, so their ids stay known.
    if (code === 'auth-retry' || code === 'resent') stream.phase = 'native';
    else close(id);
  }

  function fail(id: number, stream: Stream, message: string): void {
    tell(stream, { t: 'error', id: stream.pageId, message });
    close(id);
  }

  /** The answer cannot be shown: the provider is told to stop. */
  function refuse(id: number, stream: Stream, message: string): void {
    post({ t: 'abort', id });
    fail(id, stream, message);
  }

  /** The port died: each stream it carried goes on by what is known of it. */
  function onLost(dead: PortLike): void {
    for (const [id, stream] of [...streams]) {
      if (stream.port !== dead) continue;
      if (stream.phase === 'streaming') fail(id, stream, 'The extension was restarted while the answer was arriving.');
      else if (stream.phase === 'dispatched') {
        if (stream.resend) native(id, stream, 'resent');
        else fail(id, stream, 'The extension was restarted after the request was sent.');
      } else if (stream.phase === 'opened') reopen(id, stream);
    }
  }

  function send(stream: Stream): boolean {
    const sent = stream.open !== null && post(stream.open);
    stream.port = port;
    return sent;
  }

  function reopen(id: number, stream: Stream): void {
    const again = !stream.retried;
    stream.retried = true;
    if (again && send(stream)) return;
    if (!env.alive()) {
      orphan();
      return;
    }
    post({ t: 'passed', code: 'port-lost', url: stream.url });
    native(id, stream, 'port-lost');
  }

  /** Nobody will answer any more. */
  function settle(): void {
    for (const [id, stream] of [...streams]) {
      if (stream.phase === 'opened') native(id, stream, 'detached');
      else if (stream.phase === 'dispatched' && stream.resend) native(id, stream, 'resent');
      else if (stream.phase !== 'native') fail(id, stream, 'The extension was updated or removed.');
    }
  }

  function orphan(): void {
    detach();
    env.onOrphan();
  }

  function detach(): void {
    if (!env.alive()) settle();
    if (detached) return;
    detached = true;
    for (const page of pages) page.postMessage({ t: 'detach' } satisfies ContentToPage);
  }

  function receive(message: BackgroundToContent): void {
    if (message.t === 'detach') detach();
    else {
      const stream = streams.get(message.id);
      if (stream) onStream(stream, message);
    }
  }

  function onStream(stream: Stream, message: Exclude<BackgroundToContent, { t: 'detach' }>): void {
    const id = stream.pageId;
    if (message.t === 'dispatched') {
      stream.phase = 'dispatched';
      stream.resend = message.resend;
      stream.open = null;
    } else if (message.t === 'native') native(message.id, stream, message.code);
    else if (message.t === 'head') {
      const headers = visibleHeaders(message.status, message.headers, stream.url, env.origin);
      if (headers) {
        stream.phase = 'streaming';
        stream.open = null;
        tell(stream, { ...message, id, headers });
      } else refuse(message.id, stream, 'The provider does not let this page read its answer.');
    } else if (message.t === 'chunks') {
      const chunks = bytesOf(message.chunks);
      if (chunks) tell(stream, { t: 'chunks', id, chunks }, [...new Set(chunks.map(({ buffer }) => buffer as ArrayBuffer))]);
      else refuse(message.id, stream, 'The extension received bytes it could not read.');
    } else {
      tell(stream, message.t === 'end' ? { t: 'end', id } : { t: 'error', id, message: message.message });
      close(message.id);
    }
  }

  function onOpen(page: MessagePort, message: PageToContent & { t: 'open' }): void {
    const { id: pageId, body } = message;
    const answer = (reply: ContentToPage) => page.postMessage(reply);
    answer({ t: 'taken', id: pageId });
    if (detached) answer({ t: 'native', id: pageId, code: 'detached' });
    else if (isBadPort(message.request.url)) answer({ t: 'native', id: pageId, code: 'options' });
    else if (streams.size >= MAX_STREAMS || !withinLimits(message.request, body.byteLength)) {
      const code = streams.size >= MAX_STREAMS ? 'too-many' : 'too-large';
      answer({ t: 'native', id: pageId, code });
      post({ t: 'passed', code, url: message.request.url });
    } else {
      const id = ++ids;
      const stream = newStream(page, pageId, toBackground(id, message));
      streams.set(id, stream);
      stopAlive ??= env.every(ALIVE_MS, () => post({ t: 'alive' }));
      if (!send(stream)) reopen(id, stream);
    }
  }

  function toBackground(id: number, { request, body }: PageToContent & { t: 'open' }): ContentToBackground & { t: 'open' } {
    const bytes = new Uint8Array(body);
    const conversation = env.conversation();
    return {
      t: 'open',
      id,
      request: { ...request, headers: [...request.headers, ['origin', env.origin]] },
      body: env.carriesBytes ? bytes : encodeBase64(bytes),
      document: env.document,
      ...(conversation ? { conversation } : {}),
    };
  }

  function onPage(page: MessagePort, message: Exclude<PageToContent, { t: 'open' }>): void {
    if (message.t === 'passed') {
      post(message);
      return;
    }
    const found = [...streams].find(([, stream]) => stream.page === page && stream.pageId === message.id);
    if (!found) return;
    const [id, stream] = found;
    if (message.t === 'credit') post({ t: 'credit', id, bytes: message.bytes });
    else {
      // Ending a stream is not worth a new port: a new background knows nothing of it. A report of a resend is.
      if (port || stream.phase === 'native') post({ ...message, id });
      close(id);
    }
  }

  return {
    addPage(page) {
      pages.add(page);
      page.onmessage = ({ data }: MessageEvent<PageToContent>) => (data.t === 'open' ? onOpen(page, data) : onPage(page, data));
      if (detached) page.postMessage({ t: 'detach' } satisfies ContentToPage);
    },
    detach,
    thawed() {
      const dead = port;
      port = null;
      if (dead !== null) onLost(dead);
    },
  };
}
