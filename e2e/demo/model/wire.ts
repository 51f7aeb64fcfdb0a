/**
 * What a wire of the demo model is: one file that checks a request as strictly as the real provider does and speaks its answers.
 *
 * A check returns what was asked or a refusal in the provider's own words; it never repairs a request. When in doubt it refuses:
 * the demo model exists to catch requests that a real provider would not take.
 */
import type { IncomingHttpHeaders } from 'node:http';

/** A refusal before any answer: becomes the provider's error shape. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  /** Provider's error type, e.g. `invalid_request_error`. */
  readonly type: string;
  readonly param?: string | null;
  readonly code?: string | null;
}

/** One message as the answering half sees it: plain text, whatever the wire called its parts. */
export interface Said {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly text: string;
}

/** A request that passed its check. */
export interface Asked {
  readonly model: string;
  readonly stream: boolean;
  readonly system: string;
  readonly said: readonly Said[];
  /** The request's prompt, one string per message, environment first: what a provider's prompt cache compares. */
  readonly prompt: readonly string[];
  readonly maxOutput: number | null;
  readonly tools: readonly string[];
  /** The client asked for reasoning to be shown. */
  readonly thinking: boolean;
  /** The client asked for usage inside the stream. */
  readonly usageInStream: boolean;
  /** The prompt marks places to cache. */
  readonly marksCache: boolean;
  /** How the stream is framed, where a wire has more than one way. */
  readonly framing?: 'events' | 'array';
}

export interface Call {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** Prices: what the prompt cost and what was read from the cache. `cached + fresh` is the whole prompt. */
export interface Priced {
  readonly cached: number;
  readonly fresh: number;
  readonly output: number;
}

/** What the model says. */
export interface Spoken {
  readonly id: string;
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly Call[];
  readonly stop: 'end' | 'length' | 'calls';
  readonly priced: Priced;
}

export interface CheckContext {
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  /** Context window by model name; a name not in it is unknown. */
  readonly windows: ReadonlyMap<string, number>;
}

export type Checked = { readonly ok: true; readonly asked: Asked } | { readonly ok: false; readonly refusal: Refusal };

export interface ModelWire {
  readonly id: string;
  /** Does this wire own the path? */
  matches(path: string): boolean;
  /** `body` is parsed JSON, or undefined when it was not JSON. */
  check(body: unknown, context: CheckContext): Checked;
  /** An answer to a request on the wire's paths that asks no model (opening a conversation), or null. */
  beside?(body: unknown, context: CheckContext): { readonly status: number; readonly body: unknown } | null;
  /** The body of a refusal. */
  refusalBody(refusal: Refusal): unknown;
  /** The refusal for a prompt over the window, in the provider's words. */
  tooLong(tokens: number, window: number): Refusal;
  /** The refusal for a body over the size limit. */
  tooLarge(): Refusal;
  /** The whole answer. */
  whole(asked: Asked, spoken: Spoken): unknown;
  /** The answer as stream events, each written to the socket on its own. */
  events(asked: Asked, spoken: Spoken): readonly string[];
  /** Content type of a stream, where it is not that of server-sent events. */
  streamType?(asked: Asked): string;
  /** What the provider writes when it fails inside a stream, where it is not the refusal's body as a server-sent event; `sent` events went before it. */
  streamError?(asked: Asked, refusal: Refusal, sent: number): string;
}

export const refuse = (refusal: Refusal): Checked => ({ ok: false, refusal });
