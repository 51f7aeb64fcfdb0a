/**
 * Switching sites on and off: permission, registration of the two scripts, and the tabs that are already open.
 *
 * Invariant: a script is registered for a site only while the site is in settings and the browser grants its host; `syncSites`
 * makes that true again after an update, a restart or a revoked permission. Failure direction: a site that cannot be registered is
 * simply not covered.
 */
import { api, patternsCarryPorts } from '../platform.ts';
import { addSite, readSites, removeSite } from './settings.ts';

const PAGE_SCRIPT = 'page.iife.js';
const CONTENT_SCRIPT = 'content.iife.js';

export type SiteChange =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: 'bad-origin' | 'permission-missing' | 'not-registered'; readonly message: string };

/** The origin of an http(s) URL, or null for anything a site switch makes no sense for. */
function siteOf(url: string): string | null {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  return parsed && /^https?:$/.test(parsed.protocol) ? parsed.origin : null;
}

/** The host pattern to ask permission for. Permissions know no ports. Call `permissions.request` with it in the person's click. */
function permissionOf(origin: string): string {
  const { protocol, hostname } = new URL(origin);
  return `${protocol}//${hostname}/*`;
}

/** What the scripts are registered for: the exact origin where the browser can say so, else every port of the host. */
function patternOf(origin: string): string {
  return patternsCarryPorts ? `${origin}/*` : permissionOf(origin);
}

/** Whether the browser lets us run on this origin now. */
export function hasPermission(origin: string): Promise<boolean> {
  return api.permissions.contains({ origins: [permissionOf(origin)] });
}

function scriptsFor(origin: string): chrome.scripting.RegisteredContentScript[] {
  const common = {
    matches: [patternOf(origin)],
    allFrames: true,
    matchOriginAsFallback: true,
    runAt: 'document_start' as const,
    persistAcrossSessions: true,
  };
  return [
    { ...common, id: `content ${origin}`, js: [CONTENT_SCRIPT], world: 'ISOLATED' },
    { ...common, id: `page ${origin}`, js: [PAGE_SCRIPT], world: 'MAIN' },
  ];
}

let registering: Promise<unknown> = Promise.resolve();

/** One after the other: two of them at once would both find nothing registered, and the second would fail. */
function register(origin: string): Promise<void> {
  const done = registering.then(() => registerNow(origin));
  registering = done.catch(() => undefined);
  return done;
}

async function registerNow(origin: string): Promise<void> {
  const scripts = scriptsFor(origin);
  const existing = await api.scripting.getRegisteredContentScripts({ ids: scripts.map(({ id }) => id) });
  const known = new Set(existing.map(({ id }) => id));
  const fresh = scripts.filter(({ id }) => !known.has(id));
  const old = scripts.filter(({ id }) => known.has(id));
  if (old.length > 0) await api.scripting.updateContentScripts(old);
  if (fresh.length > 0) await api.scripting.registerContentScripts(fresh);
}

async function unregister(origin: string): Promise<void> {
  const wanted = scriptsFor(origin).map(({ id }) => id);
  const known = await api.scripting.getRegisteredContentScripts();
  const ids = known.map(({ id }) => id).filter((id) => wanted.includes(id));
  if (ids.length > 0) await api.scripting.unregisterContentScripts({ ids });
}

/** Tabs whose top page is on this origin. Works without the `tabs` permission while the host is granted. */
async function tabsOf(origin: string): Promise<number[]> {
  const tabs = await api.tabs.query({ url: permissionOf(origin) });
  return tabs.flatMap((tab) => (tab.id !== undefined && tab.url !== undefined && siteOf(tab.url) === origin ? [tab.id] : []));
}

/**
 * Puts the scripts into pages of this origin that are already open, so that no reload is needed. Requests that the page's own code
 * makes through a reference to `fetch` it captured earlier stay native. Both scripts know when they are there already.
 */
async function injectOpenTabs(origin: string): Promise<void> {
  for (const tabId of await tabsOf(origin)) {
    try {
      await api.scripting.executeScript({
        target: { tabId, allFrames: true },
        files: [CONTENT_SCRIPT],
        injectImmediately: true,
      });
      await api.scripting.executeScript({
        target: { tabId, allFrames: true },
        files: [PAGE_SCRIPT],
        world: 'MAIN',
        injectImmediately: true,
      });
    } catch {
      // A tab that is closing, discarded or showing an error page: it gets the scripts with its next load.
    }
  }
}

/** Tells every content script of the origin (of every page when null) to take its patch out. */
async function detachOpenTabs(origin: string | null): Promise<void> {
  for (const { id } of await api.tabs.query({})) {
    // Most tabs have no listener of ours: a rejection is the usual answer.
    if (id !== undefined) await api.tabs.sendMessage(id, { t: 'detach', origin }).catch(() => undefined);
  }
}

/** Enables the site. The permission must be granted already: only a panel can ask for it, inside the person's click. */
export async function enableSite(url: string, at: number): Promise<SiteChange> {
  const origin = siteOf(url);
  if (origin === null)
    return { ok: false, code: 'bad-origin', message: 'This is no web site. Open the chat page and try again.' };
  if (!(await hasPermission(origin))) {
    return {
      ok: false,
      code: 'permission-missing',
      message: 'The browser does not allow this site yet. Switch it on in the popup and accept the question.',
    };
  }
  try {
    await register(origin);
  } catch {
    return { ok: false, code: 'not-registered', message: 'The browser refused to register the scripts. Reload the extension.' };
  }
  await addSite(origin, at);
  await injectOpenTabs(origin);
  return { ok: true };
}

/** Disables the site: open pages are un-patched at once, and the permission is given back where no other site needs it. */
export async function disableSite(url: string): Promise<void> {
  const origin = siteOf(url);
  if (origin === null) return;
  await unregister(origin);
  await removeSite(origin);
  await detachOpenTabs(origin);
  const host = permissionOf(origin);
  const needed = Object.keys(await readSites()).some((other) => permissionOf(other) === host);
  // Loopback is a required host: giving it back is refused, and that is right.
  if (!needed) await api.permissions.remove({ origins: [host] }).catch(() => false);
}

/**
 * Makes the registered scripts match settings and permissions. Call from `runtime.onInstalled` and `runtime.onStartup`; returns the
 * enabled sites whose permission is missing, for the badge and the popup.
 */
export async function syncSites(): Promise<string[]> {
  const sites = Object.keys(await readSites());
  const missing: string[] = [];
  for (const { id } of await api.scripting.getRegisteredContentScripts()) {
    const origin = id.slice(id.indexOf(' ') + 1);
    if (!sites.includes(origin)) await unregister(origin);
  }
  for (const origin of sites) {
    if (await hasPermission(origin)) await register(origin).then(() => injectOpenTabs(origin));
    else {
      missing.push(origin);
      await unregister(origin);
    }
  }
  return missing;
}

/** For `permissions.onRemoved`: sites that lost their host stop now, and stay in settings as "permission missing". */
export async function onPermissionsRemoved(): Promise<string[]> {
  const missing: string[] = [];
  for (const origin of Object.keys(await readSites())) {
    if (await hasPermission(origin)) continue;
    missing.push(origin);
    await unregister(origin);
    await detachOpenTabs(origin);
  }
  return missing;
}
