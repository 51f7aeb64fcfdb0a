/**
 * Cores: the unit of the ledger. One text, reasoning, call, result or media piece of a message.
 *
 * A core id says what a piece *is*, including what identity drops (call ids, text beside calls). Every message has at least one
 * core, so nothing can be covered or lost unseen. Ids are session-scoped; a changed piece changes only its own id.
 */
import type { CoreId } from '#base/brand';
import type { Sha256 } from '#base/digest';
import type { Exchange, Message, Part } from '#neutral/message';
import { estimateTokens, MEDIA_TOKENS } from '#tokens/estimate';
import { isWellFormed } from './text.ts';

export type CoreKind = 'text' | 'reasoning' | 'tool-call' | 'tool-result' | 'media' | 'opaque';

export interface Core {
  readonly id: CoreId;
  readonly role: string;
  readonly kind: CoreKind;
  /** Index of the message in the exchange. */
  readonly message: number;
  /** Text that the id was made from. */
  readonly text: string;
  readonly callId?: string;
  readonly toolName?: string;
  /** Estimated tokens of this core. */
  readonly tokens: number;
}

/** What a core id is made of. `media` is the sixth slot; text cores never have it. */
export interface CoreSeed {
  readonly role: string;
  readonly contentType: string;
  readonly callId?: string;
  readonly toolName?: string;
  readonly text: string;
  readonly media?: string;
}

/** An opaque message may hold a file in base64: its estimate stops here instead of claiming the whole window. */
const OPAQUE_TOKENS_MAX = 8000;

/**
 * `h_` + 16 hex of sha256(`role|contentType|toolCallId|toolName|text`), plus `|media` for media. Ill-formed text is hashed in its
 * JSON form, because UTF-8 cannot carry a lone surrogate (no well-formed seed starts with a quote, so the two never meet).
 */
export function coreId(seed: CoreSeed, hash: Sha256): CoreId {
  const slots = [seed.role, seed.contentType, seed.callId ?? '', seed.toolName ?? '', seed.text];
  if (seed.media !== undefined) slots.push(seed.media);
  const joined = slots.join('|');
  const digest = hash(isWellFormed(joined) ? joined : JSON.stringify(joined));
  return `h_${digest.slice(0, 16)}` as CoreId;
}

/** The digest or the URL, without its marker. */
function mediaSlot(media: readonly string[]): string {
  return media.map((one) => one.replace(/^(?:sha256|url):/, '')).join('');
}

interface Piece {
  readonly kind: CoreKind;
  readonly seed: CoreSeed;
  readonly tokens: number;
}

function pieceOf(part: Part, message: Message, source: string): Piece | null {
  const role = message.role;
  switch (part.kind) {
    case 'text':
      return { kind: 'text', seed: { role, contentType: 'text', text: part.text }, tokens: estimateTokens(part.text) };
    case 'refusal':
      // Shown as text, but its id must not meet the id of the same words said as text.
      return { kind: 'text', seed: { role, contentType: 'refusal', text: part.text }, tokens: estimateTokens(part.text) };
    case 'reasoning': {
      // Redacted thinking has no words; its bytes tell one from another.
      const hidden = part.text === '' && part.span !== undefined;
      const text = hidden ? source.slice(part.span.start, part.span.end) : part.text;
      return { kind: 'reasoning', seed: { role, contentType: 'reasoning', text }, tokens: estimateTokens(text) };
    }
    case 'call': {
      const seed = { role: 'assistant', contentType: 'tool-call', toolName: part.name, text: part.arguments };
      const tokens = estimateTokens(part.arguments) + estimateTokens(part.name);
      return { kind: 'tool-call', seed: part.callId === undefined ? seed : { ...seed, callId: part.callId }, tokens };
    }
    case 'result': {
      const media = part.media ?? [];
      const seed = {
        role: 'tool',
        contentType: 'tool-result',
        text: part.text,
        ...(part.callId === undefined ? {} : { callId: part.callId }),
        ...(media.length === 0 ? {} : { media: mediaSlot(media) }),
      };
      return { kind: 'tool-result', seed, tokens: estimateTokens(part.text) + media.length * MEDIA_TOKENS };
    }
    case 'media': {
      const seed = { role, contentType: 'media', text: '', media: mediaSlot([part.media]) };
      return { kind: 'media', seed, tokens: MEDIA_TOKENS };
    }
    case 'unknown':
      return null;
  }
}

function opaquePiece(message: Message, canonical: string): Piece {
  const tokens = Math.min(OPAQUE_TOKENS_MAX, estimateTokens(canonical));
  return { kind: 'opaque', seed: { role: message.role, contentType: 'opaque', text: canonical }, tokens };
}

function piecesOf(message: Message, source: string): readonly Piece[] {
  if (message.opaque !== undefined) return [opaquePiece(message, message.opaque)];
  const pieces: Piece[] = [];
  for (const part of message.parts) {
    const piece = pieceOf(part, message, source);
    // A wire marks such a message opaque; should it forget, the raw text still tells messages apart.
    if (piece === null) return [opaquePiece(message, source.slice(message.source.start, message.source.end))];
    pieces.push(piece);
  }
  if (pieces.length > 0) return pieces;
  return [{ kind: 'text', seed: { role: message.role, contentType: 'text', text: '' }, tokens: 0 }];
}

/** The cores of one message, in part order. */
function messageCores(message: Message, source: string, hash: Sha256): readonly Core[] {
  return piecesOf(message, source).map(({ kind, seed, tokens }) => ({
    id: coreId(seed, hash),
    role: seed.role,
    kind,
    message: message.index,
    text: seed.text,
    ...(seed.callId === undefined ? {} : { callId: seed.callId }),
    ...(seed.toolName === undefined ? {} : { toolName: seed.toolName }),
    tokens,
  }));
}

/** How many leading messages stand in both exchanges with the same bytes. */
function sharedMessages(a: Exchange, b: Exchange): number {
  if (a.wire !== b.wire) return 0;
  const most = Math.min(a.messages.length, b.messages.length);
  for (let i = 0; i < most; i++) {
    const one = a.messages[i]?.source;
    const two = b.messages[i]?.source;
    if (!one || !two || a.source.slice(one.start, one.end) !== b.source.slice(two.start, two.end)) return i;
  }
  return most;
}

/**
 * Every core of the exchange, in order; message indexes ascend. Given the session's previous request, only what follows the
 * shared leading bytes is hashed.
 */
export function coresOf(
  exchange: Exchange,
  hash: Sha256,
  previous?: { readonly exchange: Exchange; readonly cores: readonly Core[] },
): readonly Core[] {
  const shared = previous === undefined ? 0 : sharedMessages(previous.exchange, exchange);
  const cores: Core[] = [];
  for (const core of previous?.cores ?? []) {
    if (core.message >= shared) break;
    cores.push(core);
  }
  for (const message of exchange.messages.slice(shared)) cores.push(...messageCores(message, exchange.source, hash));
  return cores;
}
