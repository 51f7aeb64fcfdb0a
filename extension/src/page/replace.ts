/**
 * Puts a Proxy in the place of something native. A Proxy of a native function prints, names and counts its parameters as that one
 * does; only what is trapped differs.
 *
 * Invariant: the property keeps its attributes. Failure direction: when the page has wrapped it meanwhile, it cannot be put back, so
 * each trap must be able to become transparent.
 */

const { getOwnPropertyDescriptor: describe, defineProperty: define } = Object;

type Part = 'value' | 'get' | 'set';

/** Replaces one value, getter or setter of `owner`, if it has it; the returned function puts the old one back. */
export function replace(owner: object, name: string, part: Part, traps: ProxyHandler<CallableFunction>): () => void {
  const found = describe(owner, name);
  const native = found?.[part];
  if (!native) return () => undefined;
  const proxy = new Proxy(native, traps);
  define(owner, name, { ...found, [part]: proxy });
  return () => describe(owner, name)?.[part] === proxy && define(owner, name, found);
}
