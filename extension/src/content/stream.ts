/** What the relay remembers of one request, and the two small shapes it stands on. */
import { decodeBase64 } from '../base64.ts';
import type { BackgroundToContent, ContentToBackground } from '../messages.ts';

/** A `runtime.Port`, as far as it is used. */
export interface PortLike {
  postMessage(message: ContentToBackground): void;
  onMessage(listener: (message: BackgroundToContent) => void): void;
  onDisconnect(listener: () => void): void;
}

export interface Stream {
  readonly page: MessagePort;
  /** The id the page script knows it by. */
  readonly pageId: number;
  /** Where the request goes. */
  readonly url: string;
  /** opened: nothing was sent; dispatched: bytes may be at the provider; streaming: the head is through; native: report awaited. */
  phase: 'opened' | 'dispatched' | 'streaming' | 'native';
  /** After dispatch, may a lost background be answered with the page's own request? */
  resend: boolean;
  /** It was opened on a second port already. */
  retried: boolean;
  /** The port it was opened on last. */
  port: PortLike | null;
  /** Kept until it is known that it must not be sent again. */
  open: ContentToBackground | null;
}

/** The chunks as bytes, or null when one is neither bytes nor base64. */
export function bytesOf(chunks: readonly (Uint8Array | string)[]): Uint8Array[] | null {
  const out: Uint8Array[] = [];
  for (const chunk of chunks) {
    const bytes = typeof chunk === 'string' ? decodeBase64(chunk) : chunk;
    if (!(bytes instanceof Uint8Array)) return null;
    out.push(bytes);
  }
  return out;
}

/** A request of which nothing was sent yet. */
export function newStream(page: MessagePort, pageId: number, open: ContentToBackground & { t: 'open' }): Stream {
  return { page, pageId, url: open.request.url, phase: 'opened', resend: false, retried: false, port: null, open };
}
