/**
 * The canonical form of a turn: the exact text that is hashed. Frozen by `test/vectors`; changing one form is a new domain.
 *
 * Invariant: two turns have the same form exactly when they are the same turn. Keys stand in UTF-16 order, strings as
 * `JSON.stringify` writes them (a lone surrogate becomes `\ud8xx`, so it cannot collide with U+FFFD), nothing is normalised.
 */
import type { ContentPiece, SolidPiece, Turn, TurnCall } from './turn.ts';

/** The canonical text of a turn. */
export function canonOf(turn: Turn): string {
  if (turn.role === 'opaque') return `{"content":${turn.canon},"role":"opaque"}`;
  const name = turn.name === undefined ? '' : `,"name":${JSON.stringify(turn.name)}`;
  if ('calls' in turn) {
    const content = [...turn.calls.map(canonOfCall), ...(turn.pieces ?? []).map(canonOfPiece)].join(',');
    const text = turn.text === undefined ? '' : `,"text":${JSON.stringify(turn.text)}`;
    return `{"content":[${content}]${name},"role":"assistant"${text}}`;
  }
  const content =
    typeof turn.content === 'string' ? JSON.stringify(turn.content) : `[${turn.content.map(canonOfPiece).join(',')}]`;
  return `{"content":${content}${name},"role":"${turn.role}"}`;
}

/** Arguments are canonical JSON text already and are spliced in as they are. */
function canonOfCall(call: TurnCall): string {
  return `{"arguments":${call.arguments},"name":${JSON.stringify(call.name)}}`;
}

function canonOfPiece(piece: ContentPiece | SolidPiece): string {
  if (typeof piece === 'string') return JSON.stringify(piece);
  return 'media' in piece ? `{"media":${JSON.stringify(piece.media)}}` : `{"refusal":${JSON.stringify(piece.refusal)}}`;
}
