/** The data of an event in words. Codes become their sentences; numbers keep one unit style. */
import type { SessionEvent } from '@throughline/shared/session/records';
import { sentence, t } from '../strings/strings.ts';
import { CATEGORIES } from '../ui/categories.ts';
import { compact } from '../ui/format.ts';

/** Context by category: the gauge shows it, so the list does not repeat it. */
const IN_GAUGE = new Set<string>(CATEGORIES);

/** One phrase per fact, in the order stored. */
export function eventFacts(event: Pick<SessionEvent, 'kind' | 'data'>): readonly string[] {
  return Object.entries(event.data)
    .filter(([name, value]) => value !== null && !IN_GAUGE.has(name) && !(name === 'quarantined' && value === 0))
    .map(([name, value]) => {
      if (name === 'code' || name === 'reason') return sentence(event.kind === 'bypass' ? 'bypass' : 'fold', String(value));
      const label = sentence('data', name);
      if (name === 'via') return `${label}: ${sentence('via', String(value))}`;
      if (typeof value === 'number') return `${label}: ${compact(value)}`;
      if (typeof value === 'boolean') return `${label}: ${t(value ? 'word.on' : 'word.off')}`;
      return `${label}: ${value}`;
    });
}
