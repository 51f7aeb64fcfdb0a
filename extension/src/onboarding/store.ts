/** What the setup page knows: read again whenever something changed. */
import { signal } from '@preact/signals';
import { sitesOf } from '../dashboard/sites.ts';
import type { PanelSnapshot } from '../panel-messages.ts';
import { sentence } from '../strings/strings.ts';
import { ask, grantedPatterns } from '../ui/ask.ts';
import { applySettings } from '../ui/theme.ts';

export const snapshot = signal<PanelSnapshot | null>(null);
export const sites = signal<readonly string[]>([]);
export const sessions = signal(0);
export const said = signal<string | null>(null);

export async function refresh(): Promise<void> {
  const [reply, list, patterns] = await Promise.all([
    ask({ verb: 'snapshot', site: null, tab: null }),
    ask({ verb: 'sessions', query: '', site: null, limit: 1000 }),
    grantedPatterns(),
  ]);
  if (!reply.ok) {
    said.value = sentence('error', reply.code, { message: reply.message });
    return;
  }
  snapshot.value = reply.data;
  applySettings(reply.data.settings);
  sites.value = reply.data.sites ?? sitesOf(patterns, list.ok ? list.data.map((one) => one.site) : []);
  sessions.value = list.ok ? list.data.length : 0;
}

export async function pair(link: string): Promise<void> {
  const reply = await ask({ verb: 'pair', link });
  said.value = reply.ok ? null : sentence('error', reply.code, { message: reply.message });
  await refresh();
}
