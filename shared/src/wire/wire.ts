/**
 * What a wire is: recognise, parse, render, stream. A wire is a folder and one registry line.
 */
import type { Sha256 } from '#base/digest';
import type { JsonDocument } from '#base/json';
import type { Exchange, WireId } from '#neutral/message';

export interface RequestHead {
  readonly method: string;
  /** Absolute URL. */
  readonly url: string;
}

/** One block message to stand before message `before` (index into `exchange.messages`). */
export interface Insert {
  readonly before: number;
  readonly text: string;
}

/** What to leave out and what to put in; computed by `fold`, executed by a wire as splices of raw text. */
export interface RenderPlan {
  /** Message indexes left out whole. */
  readonly omit: ReadonlySet<number>;
  /** Ascending by `before`; several may share a place and keep their order. */
  readonly inserts: readonly Insert[];
}

/** Tokens as the provider reported them, with cached input told apart. Null where it said nothing. */
export interface Usage {
  /** Input tokens billed at the full price. */
  readonly fresh: number | null;
  /** Input tokens read from the provider's prompt cache. */
  readonly cached: number | null;
  /** Input tokens written to the prompt cache. */
  readonly written: number | null;
  readonly output: number | null;
}

/** What an answer amounted to, from a stream or a whole body. */
export interface Answer {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
  readonly usage: Usage;
  /** `complete` only when the wire's own end was seen and no error came; `error` when the provider said so inside a 200. */
  readonly outcome: 'complete' | 'incomplete' | 'error';
  /** Provider's stop reason, verbatim. */
  readonly stop: string | null;
}

/** A tap: reads a copy of the bytes and never changes them. Correct for any chunking. */
export interface StreamDecoder {
  feed(chunk: Uint8Array): void;
  /** What has been understood so far; call after the last chunk. Never throws. */
  end(): Answer;
}

export interface SummaryPrompt {
  /** Instruction; its first line is `Throughline fold request`. */
  readonly system: string;
  /** The history to summarise, as data. */
  readonly user: string;
  readonly maxOutput: number;
  readonly model: string;
}

export interface Wire {
  readonly id: WireId;
  /** By method, URL path shape and body shape; never by host or content type. */
  recognise(head: RequestHead, body: JsonDocument): boolean;
  /** Lossless. Never throws: what it does not understand becomes an opaque message. */
  parse(head: RequestHead, body: JsonDocument, hash: Sha256): Exchange;
  /** The body with the plan applied; with an empty plan the source itself. */
  render(exchange: Exchange, plan: RenderPlan): string;
  /** The decoder for this answer; `contentType` is a hint that a wire may need (servers misname what they send). */
  decoder(contentType: string): StreamDecoder;
  /**
   * Body of a request for a summary on this wire, not streamed, no tools. The URL and headers are the conversation's own; with
   * the conversation's last exchange in `like`, so is the spelling of what models disagree about (the output budget's name).
   */
  summaryBody(prompt: SummaryPrompt, like?: Exchange): string;
  /** The URL for a non-streamed request, given the conversation's URL; where the URL names the model, for this one. */
  summaryUrl(url: string, model?: string): string;
}
