/**
 * Messages between page, content script and background, by direction. Readable alone: types only. Panels: panel-messages.ts.
 *
 * Verbs from a content script: `open`, `body`, `abort`, `credit`, `alive`. Everything else needs an extension page as sender.
 */

// ── page (MAIN) ⇄ content (isolated): over one private MessagePort ────────────────────────────────────────────────────────

export type PageToContent =
  /** A request the page made. `body` is transferred. Nothing was sent anywhere yet. */
  | { readonly t: 'open'; readonly id: number; readonly request: PageRequest; readonly body: ArrayBuffer }
  | { readonly t: 'abort'; readonly id: number }
  /** The page consumed this many bytes. */
  | { readonly t: 'credit'; readonly id: number; readonly bytes: number }
  | NativeDone
  | PassedBy;

/** A request that looks like a wire's left natively, because we could not have reproduced it. For the popup to say so. */
export interface PassedBy {
  readonly t: 'passed';
  readonly code: string;
  readonly url: string;
}

/**
 * After `native` with code `auth-retry` or `resent` only: what the page's own request came to. `status` is 0 when the page cannot
 * know it (a network error); `ok` is true for a 2xx.
 */
export interface NativeDone {
  readonly t: 'native-done';
  readonly id: number;
  /** The code of the `native` it answers. */
  readonly code: string;
  readonly ok: boolean;
  readonly status: number;
}

export interface PageRequest {
  /** Absolute URL. */
  readonly url: string;
  readonly method: string;
  /** Headers the page set, in order, lower-case names. */
  readonly headers: readonly (readonly [string, string])[];
}

export type ContentToPage =
  /** The content script has the request. A page that does not hear this soon treats the bridge as dead and goes native. */
  | { readonly t: 'taken'; readonly id: number }
  /** Not ours, or not possible: the page's own request goes out natively. `code` says why. */
  | { readonly t: 'native'; readonly id: number; readonly code: string }
  | {
      readonly t: 'head';
      readonly id: number;
      readonly status: number;
      readonly statusText: string;
      readonly headers: readonly (readonly [string, string])[];
    }
  /** Each entry reaches the page as its own read. */
  | { readonly t: 'chunks'; readonly id: number; readonly chunks: readonly Uint8Array[] }
  | { readonly t: 'end'; readonly id: number }
  /** After the head, or when resending is not allowed: the page sees a network error. */
  | { readonly t: 'error'; readonly id: number; readonly message: string }
  /** The extension is gone, paused or the site was switched off: un-patch. */
  | { readonly t: 'detach' };

// ── content ⇄ background: one runtime.Port per frame, named `page` ────────────────────────────────────────────────────────

export type ContentToBackground =
  | {
      readonly t: 'open';
      readonly id: number;
      readonly request: PageRequest;
      /** Structured clone where the browser has it; base64 otherwise. */
      readonly body: Uint8Array | string;
      /** One page instance: random, made by the content script at document start. */
      readonly document: string;
      /** A high-entropy conversation id shown in the page's URL, when there is one. */
      readonly conversation?: string;
    }
  | { readonly t: 'abort'; readonly id: number }
  | { readonly t: 'credit'; readonly id: number; readonly bytes: number }
  | NativeDone
  | PassedBy
  /** Every 20 s while a stream is open: the one keepalive that holds in both browsers. */
  | { readonly t: 'alive' };

/** `chunks` are base64 strings where the port cannot clone bytes. */
export type BackgroundToContent =
  | Exclude<ContentToPage, { t: 'chunks' | 'taken' }>
  /**
   * Bytes may be at the provider now. Should this port die before the head, the content script sends the page native once when
   * `resend` is set (reporting `native-done` on its next port), and shows a network error otherwise. Without this message it
   * assumes that nothing was sent.
   */
  | { readonly t: 'dispatched'; readonly id: number; readonly resend: boolean }
  | { readonly t: 'chunks'; readonly id: number; readonly chunks: readonly (Uint8Array | string)[] };
