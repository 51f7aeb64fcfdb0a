/**
 * What a client sent, losslessly, in words that all wires share.
 *
 * A wire's `parse` turns a body into an `Exchange`; everything above the wires works on this and never on a wire's own shapes.
 * A message keeps the span of its raw text in the body: rendering copies that slice, it never re-serialises.
 */

export const WIRE_IDS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini', 'ollama-chat'] as const;
export type WireId = (typeof WIRE_IDS)[number];

export type MessageRole = 'user' | 'assistant' | 'system' | 'developer' | 'tool' | 'unknown';

/** Half-open range of UTF-16 offsets in the body text. */
export interface SourceSpan {
  readonly start: number;
  readonly end: number;
}

interface PartBase {
  /** Where the part stands in the body; absent when it has no place of its own (a plain string content is its message's). */
  readonly span?: SourceSpan;
}

export type Part =
  | (PartBase & { readonly kind: 'text'; readonly text: string })
  /** Thinking in any spelling. `demoted` when the client replays it as plain text. */
  | (PartBase & { readonly kind: 'reasoning'; readonly text: string; readonly redacted?: boolean })
  /** `arguments` is the canonical JSON of the value (canonical.ts); `source` the text as the client sent it. */
  | (PartBase & {
      readonly kind: 'call';
      readonly name: string;
      readonly arguments: string;
      readonly source: string;
      readonly callId?: string;
    })
  | (PartBase & {
      readonly kind: 'result';
      readonly text: string;
      /** Media inside the result, in order. */
      readonly media?: readonly string[];
      readonly callId?: string;
      readonly name?: string;
    })
  /** `media` is `sha256:<hex of decoded bytes>` or `url:<URL>`. */
  | (PartBase & { readonly kind: 'media'; readonly media: string })
  | (PartBase & { readonly kind: 'refusal'; readonly text: string })
  /** Anything a wire does not know. The message becomes opaque to identity and is never folded. */
  | (PartBase & { readonly kind: 'unknown' });

export interface Message {
  /** Position in the exchange. */
  readonly index: number;
  readonly role: MessageRole;
  readonly parts: readonly Part[];
  /** Author name, where the wire has one. */
  readonly name?: string;
  /** The whole message in the body text. */
  readonly source: SourceSpan;
  /**
   * Canonical JSON of the whole raw message; set exactly when the message is opaque (unknown role or part): identity then
   * hashes this instead of the parts.
   */
  readonly opaque?: string;
  /** True for a frame that a known client puts into the history but that is environment (codex context, dsh model change). */
  readonly environment?: boolean;
}

/** Carried, shown and forwarded; never part of identity. */
export interface Environment {
  readonly model: string | null;
  /** Top-level system text plus the leading run of system/developer messages, for token counting and display. */
  readonly system: string;
  /** Raw text of the tools array, or null. */
  readonly tools: string | null;
  /** `tool_choice`, structured output and the like are present: nothing of ours may be injected. */
  readonly constrained: boolean;
  /** Declared output budget in tokens, or null. */
  readonly maxOutput: number | null;
  /** Context window in tokens, where the request sets it. */
  readonly window?: number;
}

/** One parsed request. */
export interface Exchange {
  readonly wire: WireId;
  readonly source: string;
  readonly environment: Environment;
  readonly messages: readonly Message[];
  readonly stream: boolean;
  /** The array that holds the messages, brackets included. */
  readonly list: SourceSpan;
  /** Set when the history is held by the server or cannot be told from the body; such a request passes untouched. */
  readonly delta?: string;
}
