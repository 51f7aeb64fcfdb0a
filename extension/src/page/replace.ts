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

/** Has `onMade` hear of every object made by the class `owner[name]`, if there is one; the returned function ends it. */
export function watchMade(owner: object, name: string, onMade: (made: object) => void): () => void {
  const native = describe(owner, name)?.value;
  if (!native) return () => undefined;
  const proxy = new Proxy(native, {
    construct(target, args, as) {
      const made = Reflect.construct(target, args, as);
      onMade(made);
      return made;
    },
  });
  // Pages compare the two.
  const { prototype } = native;
  const holder = owner as Record<string, unknown>;
  holder[name] = prototype.constructor = proxy;
  return () => {
    if (holder[name] === proxy) holder[name] = native;
    prototype.constructor = native;
  };
}
