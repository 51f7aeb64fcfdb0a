/**
 * Merging what stands together into one message, because this wire wants user and assistant in turn.
 *
 * The last message of the client in the group is the wrapper: all its bytes stay, and its content gains elements. Everything
 * else goes in as raw content elements; a string content becomes a text element around the untouched string token. Leading tool
 * results stay first, whoever brings them.
 */
import { quote } from '#base/canonical';
import { type JsonArray, type JsonNode, member, textOf } from '#base/json';
import { type Taken, takeApart } from '../splice.ts';

export type Piece = { readonly kind: 'message'; readonly source: string } | { readonly kind: 'block'; readonly text: string };

/** A text element around a raw string token. */
function textElement(token: string): string {
  return `{"type":"text","text":${token}}`;
}

/** True when the message's content can take further elements. */
export function isMergeable(source: string): boolean {
  return takeApart(source) !== null;
}

/** The elements of a content, its leading tool results apart. */
function elementsOf({ source, content }: Taken): { results: string[]; rest: string[] } {
  if (content.kind !== 'array') return { results: [], rest: [textElement(source.slice(content.start, content.end))] };
  const elements = content.items.map((item) => source.slice(item.start, item.end));
  const results = leadingResults(source, content);
  return { results: elements.slice(0, results), rest: elements.slice(results) };
}

function leadingResults(source: string, content: JsonArray): number {
  const isResult = (item: JsonNode): boolean => {
    const type = member(item, 'type');
    return type?.kind === 'string' && textOf({ source, root: item }, type) === 'tool_result';
  };
  const end = content.items.findIndex((item) => !isResult(item));
  return end < 0 ? content.items.length : end;
}

/** One message made of these pieces, which are all of one role. */
export function mergePieces(pieces: readonly Piece[]): string {
  const at = pieces.findLastIndex((piece) => piece.kind === 'message');
  const wrapper = pieces[at];
  if (wrapper?.kind !== 'message') return userMessage(pieces);
  if (pieces.length === 1) return wrapper.source;
  const taken = takeApart(wrapper.source);
  if (taken === null) return wrapper.source;
  const results: string[] = [];
  const before: string[] = [];
  for (const piece of pieces.slice(0, at)) {
    const other = piece.kind === 'message' ? takeApart(piece.source) : null;
    const elements = other === null ? { results: [], rest: blockElements([piece]) } : elementsOf(other);
    results.push(...elements.results);
    before.push(...elements.rest);
  }
  return widen(taken, results, before, blockElements(pieces.slice(at + 1)));
}

function blockElements(pieces: readonly Piece[]): string[] {
  return pieces.flatMap((piece) => (piece.kind === 'block' ? [textElement(quote(piece.text))] : []));
}

function userMessage(pieces: readonly Piece[]): string {
  return `{"role":"user","content":[${blockElements(pieces).join(',')}]}`;
}

/** The wrapper with `results` at the front, `before` after its own leading results, `after` at the end of its content. */
function widen(taken: Taken, results: readonly string[], before: readonly string[], after: readonly string[]): string {
  const { source, content } = taken;
  const own = elementsOf(taken);
  if (content.kind !== 'array' || content.items.length === 0) {
    const elements = [...results, ...before, ...(content.kind === 'array' ? [] : own.rest), ...after];
    return `${source.slice(0, content.start)}[${elements.join(',')}]${source.slice(content.end)}`;
  }
  // Inside a list every own byte stays: elements are put in front of an item, or behind the one they follow.
  const splices: { at: number; text: string }[] = [];
  const put = (elements: readonly string[], place: number): void => {
    const item = content.items[place];
    const last = content.items.at(-1);
    if (elements.length === 0 || last === undefined) return;
    if (item !== undefined) splices.push({ at: item.start, text: `${elements.join(',')},` });
    else splices.push({ at: last.end, text: `,${elements.join(',')}` });
  };
  put(results, 0);
  put(before, own.results.length);
  put(after, content.items.length);
  let from = 0;
  const pieces: string[] = [];
  for (const splice of splices) {
    pieces.push(source.slice(from, splice.at), splice.text);
    from = splice.at;
  }
  return pieces.join('') + source.slice(from);
}
