/**
 * What an XMLHttpRequest shows of an answer: headers in its own layout, the body as the type the page asked for.
 *
 * Invariant: as the browser's own would show the same bytes; text grows character by character, never half a character.
 * Failure direction: an unknown charset is UTF-8, a broken JSON is null, as in the browser.
 */
import type { Head } from './respond.ts';

const { Blob: NativeBlob, Headers: NativeHeaders, TextDecoder: NativeDecoder } = globalThis;
const { parse } = JSON;

export interface Received {
  readonly head: Head;
  /** As `responseURL`. */
  readonly url: string;
  /** Bytes so far. */
  readonly loaded: number;
  /** The announced length, or 0 where the browser would not compute with it. */
  readonly total: number;
  readonly text: string;
  add(chunk: Uint8Array): void;
  /** No more bytes come. */
  end(): void;
  header(name: string): string | null;
  allHeaders(): string;
  /** The whole body as an object; the same one each time. */
  whole(): unknown;
}

/** Of the charset a content type names. */
function decoderOf(contentType: string): TextDecoder {
  try {
    return new NativeDecoder(/;\s*charset\s*=\s*["']?([^\s;"']+)/i.exec(contentType)?.[1]);
  } catch {
    return new NativeDecoder();
  }
}

/** `type` is the response type, which is final once bytes arrive. */
export function createReceived(head: Head, url: string, type: () => string): Received {
  const headers = new NativeHeaders(head.headers as [string, string][]);
  const contentType = headers.get('content-type') ?? 'text/xml';
  const announced = Number(headers.get('content-length'));
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let decoder: TextDecoder | undefined;
  let loaded = 0;
  let text = '';
  let made: unknown;

  function make(): unknown {
    if (type() === 'json') return parse(text);
    if (type() === 'blob') return new NativeBlob(chunks, { type: contentType.replace(/;.*/s, '') });
    const all = new Uint8Array(loaded);
    let at = 0;
    for (const chunk of chunks) {
      all.set(chunk, at);
      at += chunk.length;
    }
    return all.buffer;
  }
  return {
    head,
    url: url.replace(/#.*$/s, ''),
    get loaded() {
      return loaded;
    },
    get total() {
      return loaded > announced ? 0 : announced;
    },
    get text() {
      return text;
    },
    add(chunk) {
      loaded += chunk.length;
      if (/blob|buffer/.test(type())) chunks.push(chunk as Uint8Array<ArrayBuffer>);
      else {
        decoder ??= decoderOf(type() === 'json' ? '' : contentType);
        text += decoder.decode(chunk, { stream: true });
      }
    },
    end() {
      if (decoder) text += decoder.decode();
    },
    header: (name) => headers.get(name),
    allHeaders() {
      let all = '';
      for (const [name, value] of headers) all += `${name}: ${value}\r\n`;
      return all;
    },
    whole() {
      try {
        made ??= make();
      } catch {
        made = null;
      }
      return made;
    },
  };
}
