/** Where in the dashboard one is, as the part of the address after the hash. Pure; anything unknown is the list. */

export const TABS = ['messages', 'blocks', 'lineage', 'events'] as const;
export type Tab = (typeof TABS)[number];

export const PLACES = ['sessions', 'flow', 'sites', 'health', 'settings', 'help'] as const;
export type Place = (typeof PLACES)[number];

export type Route =
  | { readonly place: Place }
  | { readonly place: 'session'; readonly session: string; readonly tab: Tab; readonly block: string | null };

/** Reads `#/session/<id>/<tab>/<block>` or `#/<place>`. */
export function parseRoute(hash: string): Route {
  const [place = '', ...rest] = hash.replace(/^#\/?/, '').split('/').map(decode);
  if (place === 'session' && rest[0] !== undefined && rest[0] !== '') {
    const tab = TABS.find((name) => name === rest[1]) ?? 'messages';
    return { place: 'session', session: rest[0], tab, block: rest[2] ?? null };
  }
  return { place: PLACES.find((name) => name === place) ?? 'sessions' };
}

/** The address of a route, hash included. */
export function renderRoute(route: Route): string {
  if (route.place !== 'session') return `#/${route.place}`;
  const parts = ['session', route.session, route.tab, ...(route.block === null ? [] : [route.block])];
  return `#/${parts.map(encodeURIComponent).join('/')}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A broken escape is no id of ours: taken as written, it will simply not be found.
    return part;
  }
}
