/**
 * Messages of a content script, checked. The page can forge anything that comes through it, so shape and size are all that is
 * believed; who sent it is known from the browser.
 */
import * as v from 'valibot';
import { decodeBase64 } from '../base64.ts';
import type { NativeDone, PageRequest, PassedBy } from '../messages.ts';

const id = v.pipe(v.number(), v.integer(), v.minValue(0));
const short = v.pipe(v.string(), v.minLength(1), v.maxLength(256));
const request = v.object({
  url: v.pipe(v.string(), v.maxLength(16_384)),
  method: v.pipe(v.string(), v.maxLength(16)),
  headers: v.pipe(
    v.array(v.tuple([v.pipe(v.string(), v.maxLength(256)), v.pipe(v.string(), v.maxLength(16_384))])),
    v.maxLength(128),
  ),
});

const message = v.variant('t', [
  v.object({
    t: v.literal('open'),
    id,
    request,
    body: v.union([v.instance(Uint8Array), v.string()]),
    document: short,
    conversation: v.optional(short),
  }),
  v.object({ t: v.literal('abort'), id }),
  v.object({ t: v.literal('credit'), id, bytes: id }),
  v.object({ t: v.literal('native-done'), id, code: v.pipe(v.string(), v.maxLength(64)), ok: v.boolean(), status: v.number() }),
  v.object({ t: v.literal('passed'), code: v.pipe(v.string(), v.maxLength(64)), url: v.pipe(v.string(), v.maxLength(16_384)) }),
  v.object({ t: v.literal('alive') }),
]);

export type PageMessage =
  | {
      readonly t: 'open';
      readonly id: number;
      readonly request: PageRequest;
      /** Null when it was no base64. */
      readonly body: Uint8Array | null;
      readonly document: string;
      readonly conversation: string | null;
    }
  | { readonly t: 'abort'; readonly id: number }
  | { readonly t: 'credit'; readonly id: number; readonly bytes: number }
  | NativeDone
  | PassedBy
  | { readonly t: 'alive' };

/** The message, or null when it is none of ours. `id` of a broken `open` is kept so that the page can be answered. */
export function parsePageMessage(value: unknown): PageMessage | { readonly t: 'broken'; readonly id: number } | null {
  const parsed = v.safeParse(message, value);
  if (!parsed.success) {
    const { t, id: claimed } = (value instanceof Object ? value : {}) as { t?: unknown; id?: unknown };
    return t === 'open' && typeof claimed === 'number' ? { t: 'broken', id: claimed } : null;
  }
  const found = parsed.output;
  if (found.t !== 'open') return found;
  const body = typeof found.body === 'string' ? decodeBase64(found.body) : found.body;
  return { ...found, body, conversation: found.conversation ?? null };
}
