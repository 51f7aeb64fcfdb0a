/**
 * Puts a Proxy in the place of `window.fetch`. A Proxy of the native function prints, names and counts its parameters as the native
 * one does; only `apply` is trapped.
 *
 * Invariant: a call that is not taken reaches the function that was there before with the same `this` and the same arguments.
 * Failure direction: when the page has wrapped `fetch` meanwhile, the Proxy cannot be removed and becomes transparent instead.
 */
import type { NativeFetch } from './take.ts';

export type Take = (args: readonly unknown[], native: NativeFetch) => Promise<Response> | null;

/** Installs the patch; the returned function takes it out again. */
export function patchFetch(scope: { fetch: typeof fetch }, take: Take): () => void {
  const before = scope.fetch;
  let active = true;
  const patched = new Proxy(before, {
    apply(target, self, args: unknown[]) {
      // A call on a foreign `this` is an error of the page, and the native function says so.
      const ours = active && (self === undefined || self === null || self === scope);
      const taken = ours ? take(args, (nativeArgs) => Reflect.apply(target, self, nativeArgs)) : null;
      return taken ?? Reflect.apply(target, self, args);
    },
  });
  scope.fetch = patched;
  return () => {
    active = false;
    if (scope.fetch === patched) scope.fetch = before;
  };
}
