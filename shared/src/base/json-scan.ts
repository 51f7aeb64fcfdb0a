/**
 * The scanner behind `parseJson`: strict JSON in one pass, keeping spans and decoding nothing but keys.
 *
 * Its verdict is that of `JSON.parse` for every text nested up to 256. Up to there it recurses; a deeper value is checked by a
 * loop with its own small stack, so hostile nesting costs neither the call stack nor memory. Beyond 100,000 levels the text is
 * refused as not JSON: the request then passes untouched, which loses nothing.
 */
import type { JsonMember, JsonNode } from './json.ts';

const MAX_DEPTH = 256;
const MAX_SKIPPED_DEPTH = 100_000;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
/** Objects up to this size look for duplicate keys by comparing, larger ones with a set. */
const SMALL_OBJECT = 8;
const LONG_RUN = 64;

/** The root node of the text, or null when it is not JSON. */
export function scanJson(source: string): JsonNode | null {
  // Made per call: a shared `lastIndex` would be state.
  const special = /[^ !#-[\]-\uffff]/g;
  const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
  let at = 0;

  const space = (): number => {
    let code = source.charCodeAt(at);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      at += 1;
      code = source.charCodeAt(at);
    }
    return code;
  };

  /** Moves past the string that opens here; tells whether it holds escapes, or null when it is malformed. */
  const string = (): boolean | null => {
    let escaped = false;
    let place = at + 1;
    let run = 0;
    for (;;) {
      let code = source.charCodeAt(place);
      run += 1;
      if (run === LONG_RUN) {
        // Nothing special for a while (base64, prose): the regular expression is faster per character, slower per find.
        special.lastIndex = place;
        if (!special.test(source)) return null;
        place = special.lastIndex - 1;
        code = source.charCodeAt(place);
      }
      if (code === QUOTE) {
        at = place + 1;
        return escaped;
      }
      if (code === BACKSLASH) {
        const length = escapeLength(source, place + 1);
        if (length === 0) return null;
        escaped = true;
        run = 0;
        place += length;
      } else if (!(code >= 0x20)) return null;
      place += 1;
    }
  };

  const scalar = (code: number): JsonNode | null => {
    const start = at;
    if (code === QUOTE) {
      const escaped = string();
      return escaped === null ? null : { kind: 'string', escaped, start, end: at };
    }
    for (const [word, value] of LITERALS) {
      if (code !== word.charCodeAt(0)) continue;
      if (!source.startsWith(word, at)) return null;
      at += word.length;
      return { kind: 'literal', value, start, end: at };
    }
    number.lastIndex = at;
    if (!number.test(source)) return null;
    at = number.lastIndex;
    return { kind: 'number', start, end: at };
  };

  const object = (depth: number): JsonNode | null => {
    const start = at;
    const members: JsonMember[] = [];
    let keys: Set<string> | null = null;
    let duplicate = false;
    at += 1;
    if (space() === CLOSE_OBJECT) {
      at += 1;
      return { kind: 'object', members, duplicate, start, end: at };
    }
    for (;;) {
      const keyStart = at;
      const escaped = source.charCodeAt(at) === QUOTE ? string() : null;
      if (escaped === null) return null;
      const key = escaped ? (JSON.parse(source.slice(keyStart, at)) as string) : source.slice(keyStart + 1, at - 1);
      if (space() !== COLON) return null;
      at += 1;
      const node = value(depth);
      if (node === null) return null;
      if (keys === null && members.length === SMALL_OBJECT) keys = new Set(members.map((earlier) => earlier.key));
      duplicate ||= keys === null ? members.some((earlier) => earlier.key === key) : keys.has(key);
      keys?.add(key);
      members.push({ key, keyStart, value: node });
      const code = space();
      at += 1;
      if (code === CLOSE_OBJECT) return { kind: 'object', members, duplicate, start, end: at };
      if (code !== COMMA) return null;
      space();
    }
  };

  const array = (depth: number): JsonNode | null => {
    const start = at;
    const items: JsonNode[] = [];
    at += 1;
    if (space() === CLOSE_ARRAY) {
      at += 1;
      return { kind: 'array', items, start, end: at };
    }
    for (;;) {
      const node = value(depth);
      if (node === null) return null;
      items.push(node);
      const code = space();
      at += 1;
      if (code === CLOSE_ARRAY) return { kind: 'array', items, start, end: at };
      if (code !== COMMA) return null;
    }
  };

  /** Checks the container that opens here without keeping anything of it. */
  const deep = (): JsonNode | null => {
    const start = at;
    const closers: number[] = [];
    for (;;) {
      // Here a value is expected.
      const code = space();
      if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
        if (closers.length === MAX_SKIPPED_DEPTH) return null;
        closers.push(code === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_ARRAY);
        at += 1;
        if (space() !== closers.at(-1)) {
          if (code === OPEN_OBJECT && !key()) return null;
          continue;
        }
      } else if (scalar(code) === null) return null;
      // Here a value has just ended: close what closes, then go on after a comma.
      while (closers.length > 0 && space() === closers.at(-1)) {
        closers.pop();
        at += 1;
      }
      if (closers.length === 0) return { kind: 'deep', start, end: at };
      if (source.charCodeAt(at) !== COMMA) return null;
      at += 1;
      if (closers.at(-1) === CLOSE_OBJECT && !key()) return null;
    }
  };

  const key = (): boolean => {
    if (space() !== QUOTE || string() === null || space() !== COLON) return false;
    at += 1;
    return true;
  };

  const value = (depth: number): JsonNode | null => {
    const code = space();
    if (code !== OPEN_OBJECT && code !== OPEN_ARRAY) return scalar(code);
    if (depth === MAX_DEPTH) return deep();
    return code === OPEN_OBJECT ? object(depth + 1) : array(depth + 1);
  };

  const root = value(0);
  space();
  return at === source.length ? root : null;
}

const LITERALS = [
  ['true', true],
  ['false', false],
  ['null', null],
] as const;

/** Length of the escape whose character after the backslash stands here; 0 when it is none. */
function escapeLength(source: string, at: number): number {
  switch (source.charCodeAt(at)) {
    case 0x22: // "
    case 0x5c: // backslash
    case 0x2f: // /
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return 1;
    case 0x75: // u
      for (let digit = 1; digit <= 4; digit += 1) if (!isHex(source.charCodeAt(at + digit))) return 0;
      return 5;
    default:
      return 0;
  }
}

function isHex(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);
}
