/**
 * The panels' only way to the background and to the browser.
 *
 * Invariant: an answer is always a `Reply`; nothing here throws because the background is asleep, gone or of another version.
 */
import type { PanelAnswers, PanelRequest, Reply } from '../panel-messages.ts';
import { api } from '../platform.ts';

export type Verb = PanelRequest['verb'];
export type Answer<V extends Verb> = V extends keyof PanelAnswers ? PanelAnswers[V] : null;

/** Asks the background one thing. */
export async function ask<V extends Verb>(request: Extract<PanelRequest, { verb: V }>): Promise<Reply<Answer<V>>> {
  try {
    const reply = (await api.runtime.sendMessage(request)) as Reply<Answer<V>> | undefined;
    return reply ?? { ok: false, code: 'no-background', message: '' };
  } catch (reason) {
    return { ok: false, code: 'no-background', message: String(reason) };
  }
}

/** Calls `heard` whenever something shown may have changed, also after the background restarted. Returns how to stop. */
export function onChanged(heard: () => void): () => void {
  let stopped = false;
  let port: chrome.runtime.Port | null = null;
  const open = () => {
    try {
      port = api.runtime.connect({ name: 'panel' });
    } catch {
      // The extension was reloaded under this page: there is nothing left to listen to.
      return;
    }
    port.onMessage.addListener(heard);
    port.onDisconnect.addListener(() => {
      if (!stopped) setTimeout(open, 1000);
    });
  };
  open();
  return () => {
    stopped = true;
    port?.disconnect();
  };
}

/** Match pattern of an origin, without its port where patterns cannot carry one. */
function patternOf(origin: string): string {
  const { protocol, hostname } = new URL(origin);
  return `${protocol}//${hostname}/*`;
}

/** Asks the person for access to one origin. Must run inside a click: call it before any await. */
export async function requestSite(origin: string): Promise<boolean> {
  try {
    return await api.permissions.request({ origins: [patternOf(origin)] });
  } catch {
    // Refused by policy, or already granted at install: the second is an answer too.
    return api.permissions.contains({ origins: [patternOf(origin)] }).catch(() => false);
  }
}

/** Origins the person granted, as written in the browser's patterns. */
export async function grantedPatterns(): Promise<readonly string[]> {
  const granted = await api.permissions.getAll().catch(() => ({ origins: [] }));
  return granted.origins ?? [];
}

export interface ActiveTab {
  readonly site: string | null;
  readonly tab: number | null;
}

/** The page this panel is about: `?site=` when given, else the active tab of the window. */
export async function activeTab(search: URLSearchParams): Promise<ActiveTab> {
  const given = search.get('site');
  if (given !== null) return { site: originOf(given), tab: null };
  const [tab] = await api.tabs.query({ active: true, currentWindow: true }).catch(() => []);
  return { site: originOf(tab?.url ?? ''), tab: tab?.id ?? null };
}

/** Origin of a web address, or null when it is none. */
export function originOf(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.origin : null;
}

export type Page = 'dashboard' | 'onboarding';

/** Address of one of our pages; `route` is what follows the hash. */
export function pageUrl(page: Page, route = ''): string {
  return api.runtime.getURL(`src/${page}/index.html`) + (route === '' ? '' : `#/${route}`);
}

/** Reloads the page a panel is about. */
export function reloadTab(tab: number | null): void {
  if (tab !== null) void api.tabs.reload(tab);
}
