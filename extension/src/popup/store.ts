/**
 * What the popup knows and does. It holds no work: closing it cancels nothing.
 */
import { signal } from '@preact/signals';
import type { BlockDetail, PanelSnapshot } from '../panel-messages.ts';
import { sentence, t } from '../strings/strings.ts';
import { enable } from '../ui/add-site.tsx';
import { type ActiveTab, activeTab, ask, onChanged, pageUrl } from '../ui/ask.ts';
import { applySettings } from '../ui/theme.ts';
import { BLOCKS_SHOWN, hourFrom, popupView, type Undo, undoOf } from './model.ts';

export const snapshot = signal<PanelSnapshot | null>(null);
export const where = signal<ActiveTab>({ site: null, tab: null });
/** Block opened over the popup, or null. */
export const opened = signal<string | null>(null);
export const whyOpen = signal(false);
export const undo = signal<Undo | null>(null);
/** One sentence about what just happened. */
export const said = signal<string | null>(null);
/** Checked originals of the blocks on screen, by block id and state. */
export const checked = signal<ReadonlyMap<string, BlockDetail>>(new Map());
/** Ticks each second while a stream is live. */
export const now = signal(Date.now());

/** Reads the first snapshot and follows changes. `open` and `why` in the address open those parts at once. */
export async function start(search: URLSearchParams): Promise<void> {
  opened.value = search.get('open');
  whyOpen.value = search.has('why');
  where.value = await activeTab(search);
  await refresh();
  onChanged(() => void refresh());
  setInterval(() => {
    now.value = Date.now();
  }, 1000);
}

let asking = false;
let again = false;

/** Asks for a fresh snapshot; calls while one is under way are joined into one more. */
async function refresh(): Promise<void> {
  if (asking) {
    again = true;
    return;
  }
  asking = true;
  do {
    again = false;
    const reply = await ask({ verb: 'snapshot', ...where.value });
    if (reply.ok) {
      snapshot.value = reply.data;
      applySettings(reply.data.settings);
      void checkOriginals(reply.data);
    } else {
      said.value = sentence('error', reply.code, { message: reply.message });
    }
  } while (again);
  asking = false;
}

/** Reads and verifies the originals of the blocks on screen, after the first paint. */
async function checkOriginals({ session }: PanelSnapshot): Promise<void> {
  if (session === null) return;
  for (const block of popupView({ ...(snapshot.value as PanelSnapshot), session }, now.value).blocks.slice(0, BLOCKS_SHOWN)) {
    const key = checkKey(session.session, block.blockId);
    if (checked.value.has(key)) continue;
    const reply = await ask({ verb: 'block', session: session.session, block: block.blockId });
    if (reply.ok) checked.value = new Map(checked.value).set(key, reply.data);
  }
}

export function checkKey(session: string, block: string): string {
  return `${session} ${block}`;
}

/** Says why something did not work; true when it did. */
function told(reply: { ok: true } | { ok: false; code: string; message: string }): boolean {
  said.value = reply.ok ? null : sentence('error', reply.code, { message: reply.message });
  void refresh();
  return reply.ok;
}

/** Switches the site. The permission is asked inside the click, so nothing may be awaited before it. */
export function setSite(on: boolean): void {
  const { site } = where.value;
  if (site === null) return;
  if (on) {
    void enable(site).then((problem) => {
      said.value = problem;
      void refresh();
    });
  } else void ask({ verb: 'site.set', site, on }).then(told);
}

/** The browser does not tell which page a tab shows before its site is on, so it can be switched on by address as well. */
export function siteAdded(problem: string | null): void {
  said.value = problem;
  void activeTab(new URLSearchParams()).then((found) => {
    where.value = found;
    void refresh();
  });
}

export function pause(span: 'hour' | 'tab' | 'open'): void {
  const until = span === 'hour' ? hourFrom(Date.now()) : null;
  void ask({ verb: 'pause', until, tab: span === 'tab' ? where.value.tab : null }).then(told);
}

export function allowUpstream(origin: string): void {
  const { site } = where.value;
  if (site !== null) void ask({ verb: 'site.allowUpstream', site, origin }).then(told);
}

export function foldNow(session: string): void {
  void ask({ verb: 'fold.now', session }).then((reply) => {
    if (told(reply)) said.value = t('popup.fold.asked');
  });
}

/** Unfolds or folds again, and remembers how to take that back. */
export function changeBlock(session: string, block: string, verb: 'unfold' | 'refold'): void {
  void ask({ verb, session, block }).then((reply) => {
    if (told(reply)) undo.value = undoOf(session, block, verb);
  });
}

export function undoLast(): void {
  const last = undo.value;
  if (last === null) return;
  void ask({ verb: last.verb, session: last.session, block: last.block }).then((reply) => {
    if (told(reply)) undo.value = null;
  });
}

export function setLanguage(language: 'en' | 'zh-CN'): void {
  const settings = snapshot.value?.settings;
  if (settings !== undefined) applySettings({ ...settings, language });
  void ask({ verb: 'settings.set', settings: { language } }).then(told);
}

export function openSession(session: string, tab = ''): void {
  open(pageUrl('dashboard', `session/${encodeURIComponent(session)}${tab === '' ? '' : `/${tab}`}`), '_blank');
}
