/**
 * The parts of one message as identity sees them: content pieces, calls and results.
 *
 * A message with anything this table does not expect in its role stands whole as an opaque turn: it may fail to match, it never
 * matches wrongly.
 */
import type { Exchange, Message, Part } from './message.ts';
import type { ContentPiece, SolidPiece, Turn, TurnCall } from './turn.ts';

const EXPECTED: { readonly [role: string]: readonly Part['kind'][] } = {
  user: ['text', 'media', 'refusal', 'result'],
  tool: ['text', 'media', 'result'],
  system: ['text', 'media'],
  developer: ['text', 'media'],
  assistant: ['text', 'media', 'refusal', 'reasoning', 'call'],
};

/** The message as an opaque turn, or null when its role and every part are understood. */
export function opaqueTurn(exchange: Exchange, message: Message): Turn | null {
  const expected = EXPECTED[message.role];
  const understood =
    message.opaque === undefined && expected !== undefined && message.parts.every((p) => expected.includes(p.kind));
  if (understood) return null;
  // A wire gives `opaque` with every message it does not understand; the raw slice stands in where one did not see a misfit.
  const canon = message.opaque ?? JSON.stringify(exchange.source.slice(message.source.start, message.source.end));
  return { role: 'opaque', canon };
}

/** Text, media and refusals of the parts, in part order. */
export function piecesOf(parts: readonly Part[]): ContentPiece[] {
  const pieces: ContentPiece[] = [];
  for (const part of parts) {
    if (part.kind === 'text') pieces.push(part.text);
    else if (part.kind === 'media') pieces.push({ media: part.media });
    else if (part.kind === 'refusal') pieces.push({ refusal: part.text });
  }
  return pieces;
}

/** Calls of the parts, in order. */
export function callsOf(parts: readonly Part[]): TurnCall[] {
  return parts.flatMap((part) => (part.kind === 'call' ? [{ name: part.name, arguments: part.arguments }] : []));
}

/** Reasoning in plain words, in order. What the provider encrypted or redacted is no text of anybody. */
export function reasoningOf(parts: readonly Part[]): string {
  return parts.map((part) => (part.kind === 'reasoning' && part.redacted !== true ? part.text : '')).join('');
}

/** One turn per tool result. A result carries no name: only some wires repeat it, and its call has it. */
export function resultTurns(parts: readonly Part[]): Turn[] {
  return parts.flatMap((part) => {
    if (part.kind !== 'result') return [];
    return [{ role: 'tool' as const, content: contentOf([part.text, ...(part.media ?? []).map((media) => ({ media }))]) }];
  });
}

/** Content in its one normal shape: a string, or with media or a refusal the pieces, neighbouring texts joined, none empty. */
export function contentOf(pieces: readonly ContentPiece[]): string | readonly ContentPiece[] {
  if (pieces.every((piece) => typeof piece === 'string')) return pieces.join('');
  const joined: ContentPiece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (typeof piece !== 'string') joined.push(piece);
    else if (typeof last === 'string') joined[joined.length - 1] = last + piece;
    else if (piece !== '') joined.push(piece);
  }
  return joined;
}

/** The texts among the pieces, nothing between. */
export function textOfPieces(pieces: readonly ContentPiece[]): string {
  return pieces.filter((piece) => typeof piece === 'string').join('');
}

/** The pieces that are not text. */
export function solidPieces(pieces: readonly ContentPiece[]): SolidPiece[] {
  return pieces.filter((piece) => typeof piece !== 'string');
}
