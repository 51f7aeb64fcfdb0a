/**
 * One JSON document per line from decoded text (NDJSON), correct for any chunking.
 *
 * A document may also stand over several lines, as pretty-printed answers do: lines are held until they are one. LF, CRLF and CR, a
 * leading byte order mark, blank lines and a last line without its end are understood. More than 8 MiB held ends the
 * understanding (never the stream: this only listens).
 */
const MAX_HELD = 8 * 1024 * 1024;

export interface LineReader {
  feed(text: string): void;
  /** Understands what is pending; call once. */
  end(): void;
}

/** A reader that calls `onDocument` with the text of each JSON object, and `onStrange` once when it stops understanding. */
export function createLineReader(onDocument: (text: string) => void, onStrange: () => void): LineReader {
  let pieces: string[] = [];
  let size = 0;
  let held = '';
  let stopped = false;
  let fresh = true;

  const stop = (): void => {
    if (!stopped) onStrange();
    stopped = true;
    pieces = [];
    held = '';
  };
  const line = (text: string): void => {
    held += text;
    // Only a line that ends as an object does can end one: the lines inside a pretty-printed document are not tried in vain.
    if (!held.trimEnd().endsWith('}')) return;
    if (!isJson(held)) return;
    onDocument(held);
    size = 0;
    held = '';
  };
  return {
    feed(text) {
      if (stopped || text === '') return;
      const given = fresh && text.startsWith('\ufeff') ? text.slice(1) : text;
      fresh = false;
      const lines = given.split(/[\r\n]+/);
      for (const [position, piece] of lines.entries()) {
        size += piece.length;
        if (size > MAX_HELD) return stop();
        pieces.push(piece);
        if (position === lines.length - 1) break;
        line(pieces.join(''));
        pieces = [];
      }
    },
    end() {
      if (stopped) return;
      line(pieces.join(''));
      // A document that was cut off, or no JSON at all.
      if (held.trim() !== '') stop();
    },
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // more of it may follow
  }
}
