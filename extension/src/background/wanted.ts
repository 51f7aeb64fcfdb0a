/**
 * A site that the person switched on while the browser was still asking for the permission.
 *
 * Some browsers close the popup when their question appears, so the click's own "yes" may find nobody to go on. The wish is kept
 * for two minutes; the permission that comes within them completes it. Without such a click a permission switches nothing on.
 */
import type { Area } from './box.ts';
import { box } from './box.ts';

const WAITS_MS = 2 * 60_000;

interface Wish {
  readonly site: string;
  readonly at: number;
}

export interface Wanted {
  ask(site: string): Promise<void>;
  /** The site that waits for its permission, or null. */
  waiting(): Promise<string | null>;
  done(site: string): Promise<void>;
}

export function createWanted(area: Area, now: () => number): Wanted {
  const wish = box<Wish>(area, 'wanted');
  return {
    ask: (site) => wish.set({ site, at: now() }),
    async waiting() {
      const found = await wish.get();
      return found && now() - found.at < WAITS_MS ? found.site : null;
    },
    async done(site) {
      if ((await wish.get())?.site === site) await wish.clear();
    },
  };
}

/** The browser granted a permission: the site that waits for it, if it is the one, is switched on. */
export async function fulfil(
  wanted: Wanted,
  sites: { permitted(site: string): Promise<boolean>; enable(site: string): Promise<unknown> },
): Promise<void> {
  const site = await wanted.waiting();
  if (site === null || !(await sites.permitted(site))) return;
  await wanted.done(site);
  await sites.enable(site);
}
