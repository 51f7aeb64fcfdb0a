/**
 * One JSON document per line from decoded text (NDJSON), correct for any chunking.
 *
 * A document ends with the brace that closes it, so it may also stand over several lines, as pretty-printed answers do. Any line end, a
 * leading byte order mark, blank lines and a last line without its end are understood. Each character is looked at once, whatever a
 * server sends: this runs where everybody's answers pass. Anything between documents that is no blank, a line end inside a string,
 * or a document of more than 8 MiB ends the understanding (never the stream: this only listens).
 */
const MAX_DOCUMENT = 8 * 1024 * 1024;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

type Step = 'begins' | 'inside' | 'ends' | 'strange';

export interface LineReader {
  feed(text: string): void;
  /** Understands what is pending; call once. */
  end(): void;
}

/** A reader that calls `onDocument` with the text of each JSON object, and `onStrange` once when it stops understanding. */
export function createLineReader(onDocument: (text: string) => void, onStrange: () => void): LineReader {
  /** The document so far, in the pieces it came in. */
  let pieces: string[] = [];
  let size = 0;
  let depth = 0;
  let quoted = false;
  let escaped = false;
  let stopped = false;
  let fresh = true;

  const stop = (): void => {
    if (!stopped) onStrange();
    stopped = true;
    pieces = [];
  };
  const keep = (piece: string): void => {
    size += piece.length;
    if (size > MAX_DOCUMENT) stop();
    else if (piece !== '') pieces.push(piece);
  };
  /** One character inside a string. Line ends cannot be there. */
  const inString = (code: number): Step => {
    if (code === 0x0a || code === 0x0d) return 'strange';
    if (escaped) escaped = false;
    else if (code === BACKSLASH) escaped = true;
    else quoted = code !== QUOTE;
    return 'inside';
  };
  /** What this character makes of what stands before it. */
  const step = (code: number): Step => {
    if (quoted) return inString(code);
    if (code === OPEN) {
      depth += 1;
      return depth === 1 ? 'begins' : 'inside';
    }
    if (depth === 0) return isBlank(code) ? 'inside' : 'strange';
    quoted = code === QUOTE;
    if (code === CLOSE) depth -= 1;
    return depth === 0 ? 'ends' : 'inside';
  };
  const take = (text: string): void => {
    let start = 0;
    for (let at = 0; at < text.length && !stopped; at += 1) {
      const what = step(text.charCodeAt(at));
      if (what === 'strange') stop();
      else if (what === 'begins') start = at;
      else if (what === 'ends') {
        keep(text.slice(start, at + 1));
        if (!stopped) onDocument(pieces.join(''));
        pieces = [];
        size = 0;
      }
    }
    if (depth > 0 && !stopped) keep(text.slice(start));
  };
  return {
    feed(text) {
      if (stopped || text === '') return;
      const given = fresh && text.startsWith('\ufeff') ? text.slice(1) : text;
      fresh = false;
      take(given);
    },
    end() {
      // A document that was cut off.
      if (depth > 0) stop();
    },
  };
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
