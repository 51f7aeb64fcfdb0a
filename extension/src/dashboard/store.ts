/**
 * What the dashboard knows and does. The address is the state: every view can be linked to and gone back to.
 */
import { computed, effect, signal } from '@preact/signals';
import type { PanelSnapshot, SessionDetail, SessionSummary } from '../panel-messages.ts';
import { sentence, t } from '../strings/strings.ts';
import { ask, onChanged } from '../ui/ask.ts';
import { applySettings } from '../ui/theme.ts';
import { parseRoute, type Route, renderRoute, type Tab } from './route.ts';

export const route = signal<Route>(parseRoute(location.hash));
export const snapshot = signal<PanelSnapshot | null>(null);
export const sessions = signal<readonly SessionSummary[] | null>(null);
export const detail = signal<SessionDetail | null>(null);
/** The session of the address is not stored (any more). */
export const missing = signal(false);
export const query = signal('');
export const site = signal<string | null>(null);
/** Every site that has conversations, also while filtered. */
export const sites = signal<readonly string[]>([]);
export const whyOpen = signal(false);
export const said = signal<string | null>(null);
export const undo = signal<{ session: string; block: string; verb: 'unfold' | 'refold' } | null>(null);
/** Seq of the message shown in full. */
export const message = signal<number | null>(null);

const MOST = 10_000;

/** The session of the address, or null. */
export const current = computed(() => (route.value.place === 'session' ? route.value.session : null));

/** Follows the address, the search and the background. */
export async function start(): Promise<void> {
  addEventListener('hashchange', () => {
    route.value = parseRoute(location.hash);
  });
  onChanged(() => void refresh());
  effect(() => {
    const session = current.value;
    message.value = null;
    whyOpen.value = false;
    if (session !== null) void readDetail(session);
  });
  let typed: ReturnType<typeof setTimeout> | undefined;
  effect(() => {
    const wanted = { query: query.value, site: site.value };
    clearTimeout(typed);
    typed = setTimeout(() => void readSessions(wanted.query, wanted.site), sessions.peek() === null ? 0 : 120);
  });
  await refresh();
}

/** Reads again what is on screen. */
export async function refresh(): Promise<void> {
  const session = current.peek();
  const snapshotReply = ask({ verb: 'snapshot', site: null, tab: null });
  if (sessions.peek() !== null) void readSessions(query.peek(), site.peek());
  if (session !== null) void readDetail(session);
  const reply = await snapshotReply;
  if (reply.ok) {
    snapshot.value = reply.data;
    applySettings(reply.data.settings);
  } else told(reply);
}

async function readSessions(words: string, ofSite: string | null): Promise<void> {
  const reply = await ask({ verb: 'sessions', query: words, site: ofSite, limit: MOST });
  if (!told(reply)) return;
  // A slower answer to an older question is dropped.
  if (words !== query.peek() || ofSite !== site.peek()) return;
  if (!reply.ok) return;
  sessions.value = reply.data;
  const found = new Set([...sites.peek(), ...reply.data.flatMap((one) => (one.site === null ? [] : [one.site]))]);
  if (found.size !== sites.peek().length) sites.value = [...found].sort();
}

async function readDetail(session: string): Promise<void> {
  const reply = await ask({ verb: 'session', session });
  if (session !== current.peek()) return;
  missing.value = !reply.ok;
  detail.value = reply.ok ? reply.data : null;
}

/** Says why something did not work; true when it did. */
export function told(reply: { ok: true } | { ok: false; code: string; message: string }): boolean {
  if (!reply.ok) said.value = sentence('error', reply.code, { message: reply.message });
  return reply.ok;
}

export function go(to: Route): void {
  location.hash = renderRoute(to);
}

export function openSession(session: string, tab: Tab = 'messages', block: string | null = null): void {
  go({ place: 'session', session, tab, block });
}

/** Moves by one in the list of conversations. */
export function step(by: 1 | -1): void {
  const list = sessions.value ?? [];
  const at = list.findIndex((one) => one.session === current.value);
  const next = list[Math.max(0, Math.min(list.length - 1, at + by))];
  if (next !== undefined) openSession(next.session, route.value.place === 'session' ? route.value.tab : 'messages');
}

export function changeBlock(session: string, block: string, verb: 'unfold' | 'refold'): void {
  void ask({ verb, session, block }).then((reply) => {
    if (told(reply)) undo.value = { session, block, verb: verb === 'unfold' ? 'refold' : 'unfold' };
    void refresh();
  });
}

export function undoLast(): void {
  const last = undo.value;
  if (last === null) return;
  undo.value = null;
  void ask({ verb: last.verb, session: last.session, block: last.block }).then((reply) => {
    told(reply);
    void refresh();
  });
}

export function foldNow(session: string): void {
  void ask({ verb: 'fold.now', session }).then((reply) => {
    if (told(reply)) said.value = t('popup.fold.asked');
  });
}

export function setMode(session: string, mode: 'auto' | 'off'): void {
  void ask({ verb: 'fold.mode', session, mode }).then((reply) => {
    told(reply);
    void refresh();
  });
}

export function pin(session: string, seq: number, pinned: boolean): void {
  void ask({ verb: 'pin', session, seq, pinned }).then((reply) => {
    told(reply);
    void refresh();
  });
}

/** Hands a file to the browser's downloads. */
export async function exportData(session: string | null, format: 'json' | 'markdown'): Promise<void> {
  const reply = await ask({ verb: 'export', session, format });
  if (!told(reply) || !reply.ok) return;
  const link = document.createElement('a');
  const type = format === 'json' ? 'application/json' : 'text/markdown';
  link.href = URL.createObjectURL(new Blob([reply.data.text], { type }));
  link.download = reply.data.name;
  link.click();
  URL.revokeObjectURL(link.href);
}

export function forget(session: string | null, ofSite: string | null): void {
  void ask({ verb: 'forget', session, site: ofSite }).then((reply) => {
    if (told(reply)) said.value = t('forget.done');
    if (session !== null) go({ place: 'sessions' });
    void refresh();
  });
}
