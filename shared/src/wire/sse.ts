/**
 * Server-sent events from decoded text, correct for any chunking.
 *
 * LF, CRLF and CR, one leading byte order mark, comments, data over several lines, and a last event without its blank line are
 * understood. One line or event over 8 MiB ends the understanding (never the stream: this only listens).
 */
import { createParser } from 'eventsource-parser';

const MAX_EVENT = 8 * 1024 * 1024;
/** Chunks are fed in pieces of this size: the parser looks for line ends through the whole of what it is given. */
const PIECE = 64 * 1024;

export interface SseReader {
  feed(text: string): void;
  /** Understands what is pending; call once. */
  end(): void;
}

/** A reader that calls `onEvent` for each event with data, and `onTooLong` once when it stops understanding. */
export function createSseReader(onEvent: (type: string | undefined, data: string) => void, onTooLong: () => void): SseReader {
  let stopped = false;
  let fresh = true;
  const stop = (): void => {
    if (!stopped) onTooLong();
    stopped = true;
  };
  const parser = createParser({
    onEvent: (event) => {
      if (stopped) return;
      if (event.data.length > MAX_EVENT) stop();
      else if (event.data !== '') onEvent(event.event, event.data);
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') stop();
    },
    maxBufferSize: MAX_EVENT + PIECE,
  });
  // The parser's own mark removal looks for the three bytes as characters; an empty first chunk turns it off.
  parser.feed('');
  const feed = (text: string): void => {
    for (let at = 0; at < text.length && !stopped; at += PIECE) parser.feed(text.slice(at, at + PIECE));
  };
  return {
    feed(text) {
      if (text === '') return;
      const marked = fresh && text.startsWith('\ufeff');
      fresh = false;
      feed(marked ? text.slice(1) : text);
    },
    end() {
      // Ends the pending line and event. After a pending CR the first LF belongs to it, and the second still ends the event.
      feed('\n\n');
    },
  };
}
