/**
 * The frame around each wire's understanding of answers: bytes to text, stream or whole body, size limits.
 *
 * It is a tap: it never changes what it is fed and never throws. Above its limits, or when something makes no sense, it gives
 * up quietly: the answer is then incomplete and reports no usage.
 */
import { streamingUtf8 } from '#base/utf8';
import { createLineReader } from './lines.ts';
import { createSseReader } from './sse.ts';
import type { Answer, StreamDecoder } from './wire.ts';

const MAX_DECODED = 256 * 1024 * 1024;

/** What a wire understands of an answer. */
export interface AnswerReader {
  /** One event of a stream. */
  event(type: string | undefined, data: string): void;
  /** A whole answer. */
  body(text: string): void;
  /** Nothing further will be understood. */
  giveUp(): void;
  answer(): Answer;
}

/** How a wire frames its streams: server-sent events, or one JSON document per line. */
export type Framing = 'events' | 'lines';

/**
 * The decoder around a reader. With events, the first character decides between a stream and a JSON document, never the content type: JSON
 * is sent as `text/event-stream`, and streams come under any name or none. With lines, a whole answer is a stream of one document.
 */
export function createDecoder(reader: AnswerReader, framing: Framing = 'events', limit = MAX_DECODED): StreamDecoder {
  const utf8 = streamingUtf8();
  const frames =
    framing === 'events'
      ? createSseReader(reader.event, reader.giveUp)
      : createLineReader((text) => reader.event(undefined, text), reader.giveUp);
  let mode: 'unknown' | 'stream' | 'body' | 'stopped' = framing === 'lines' ? 'stream' : 'unknown';
  let held: string[] = [];
  let size = 0;

  const take = (text: string): void => {
    if (mode === 'stream') frames.feed(text);
    if (mode === 'body') held.push(text);
    if (mode !== 'unknown') return;
    held.push(text);
    const first = /[^\s\ufeff]/.exec(text)?.[0];
    if (first === undefined) return;
    mode = first === '{' || first === '[' ? 'body' : 'stream';
    if (mode === 'body') return;
    frames.feed(held.join(''));
    held = [];
  };

  return {
    feed(chunk) {
      if (mode === 'stopped') return;
      size += chunk.length;
      if (size <= limit) return take(utf8.decode(chunk));
      mode = 'stopped';
      held = [];
      reader.giveUp();
    },
    end() {
      if (mode !== 'stopped') take(utf8.end());
      if (mode === 'stream') frames.end();
      if (mode === 'body') reader.body(held.join('').replace(/^\ufeff/, ''));
      mode = 'stopped';
      held = [];
      return reader.answer();
    },
  };
}
