/** Which sites to list: those that are on, those the browser grants, and those with stored conversations. Pure. */

/** Origins out of the browser's match patterns; wildcards and our own loopback right are no sites. */
export function sitesOf(patterns: readonly string[], known: readonly (string | null)[]): readonly string[] {
  const sites = new Set<string>();
  for (const site of known) if (site !== null) sites.add(site);
  const hosts = new Set([...sites].map((site) => new URL(site).hostname));
  for (const pattern of patterns) {
    const origin = pattern.replace(/\/\*$/, '');
    if (origin.includes('*') || !URL.canParse(origin)) continue;
    const { hostname } = new URL(origin);
    // A pattern without a port stands for the site with one that is already listed.
    if (hostname === '127.0.0.1' || hosts.has(hostname)) continue;
    sites.add(origin);
  }
  return [...sites].sort();
}
