/**
 * The wire-neutral identity projection of one or more messages, and the two domains it is taken in.
 *
 * A turn drops ids, signatures, cache marks and provider status; a `Message` drops nothing. They must stay two types.
 */
export type Role = 'user' | 'assistant' | 'tool' | 'system' | 'opaque';

/**
 * Hash domain. 2: reasoning dropped, text beside calls dropped, later system messages are turns. 3: reasoning precedes the
 * text, text beside calls kept, system messages are environment wherever they stand. 1 exists only in imported state.
 */
export type Domain = 2 | 3;
export const DOMAINS = [2, 3] as const;

/** A piece of content that is not text: it always counts. */
export type SolidPiece = { readonly media: string } | { readonly refusal: string };
export type ContentPiece = string | SolidPiece;

export interface TurnCall {
  readonly name: string;
  /** Canonical JSON text of the arguments value. */
  readonly arguments: string;
}

export type Turn =
  | {
      readonly role: 'user' | 'assistant' | 'tool' | 'system';
      /** A plain text content is one string; with media or a refusal it is the list of pieces in part order. */
      readonly content: string | readonly ContentPiece[];
      readonly name?: string;
    }
  | {
      readonly role: 'assistant';
      readonly calls: readonly TurnCall[];
      /** Domain 3: reasoning and text beside the calls. Absent when empty. */
      readonly text?: string;
      /** Media and refusals beside the calls, in both domains. Absent when there are none. */
      readonly pieces?: readonly SolidPiece[];
      readonly name?: string;
    }
  /** `canon` is the raw canonical JSON of the whole message. */
  | { readonly role: 'opaque'; readonly canon: string };

/** The projection of an exchange in one domain. */
export interface Projection {
  readonly domain: Domain;
  readonly turns: readonly Turn[];
  /** `spans[i]` lists the message indexes turn `i` came from, ascending. */
  readonly spans: readonly (readonly number[])[];
}
