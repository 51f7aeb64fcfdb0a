/**
 * Intercepts `window.fetch`.
 *
 * Invariant: a call that is not taken reaches the function that was there before with the same `this` and the same arguments.
 * Failure direction: when the page has wrapped `fetch` meanwhile, the patch cannot be removed and becomes transparent instead.
 */
import { replace } from './replace.ts';
import type { NativeFetch } from './take.ts';

export type Take = (args: readonly unknown[], native: NativeFetch) => Promise<Response> | null;

/** Installs the patch; the returned function takes it out again. */
export function patchFetch(scope: { fetch: typeof fetch }, take: Take): () => void {
  let active = true;
  const undo = replace(scope, 'fetch', 'value', {
    apply(native, self, args: unknown[]) {
      // A call on a foreign `this` is an error of the page, and the native function says so.
      const ours = active && (self === undefined || self === null || self === scope);
      const taken = ours ? take(args, (nativeArgs) => Reflect.apply(native, self, nativeArgs)) : null;
      return taken ?? Reflect.apply(native, self, args);
    },
  });
  return () => {
    active = false;
    undo();
  };
}
