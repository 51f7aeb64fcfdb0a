/** What the unattended demo has to show, judged at the end. */
import type { Fact } from './script.ts';
import type { Turn } from './talk.ts';

export interface Goal {
  readonly name: string;
  readonly met: boolean;
  readonly found: string;
}

export interface Asked {
  readonly fact: Fact;
  readonly reply: string;
  /** The message that told the fact was in the request. */
  readonly original: boolean;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** Goals of the long conversation. */
export function longGoals(turns: readonly Turn[], asked: readonly Asked[], folds: number): Goal[] {
  const sessions = new Set(turns.map(({ view }) => view?.session ?? 'none'));
  const last = turns.slice(-10);
  // Both figures from the outside: the page's own history, and the bytes the model received.
  const share = sum(last.map(({ sentTokens }) => sentTokens)) / Math.max(1, sum(last.map(({ pageTokens }) => pageTokens)));
  const right = asked.filter(({ fact, reply }) => reply === fact.value);
  const folded = asked.filter(({ original }) => !original);
  return [
    {
      name: 'no turn failed',
      met: turns.every(({ failed }) => !failed),
      found: `${turns.filter(({ failed }) => failed).length} failed`,
    },
    { name: 'at least 40 turns', met: turns.length >= 40, found: `${turns.length}` },
    { name: 'one session', met: sessions.size === 1 && !sessions.has('none'), found: `${sessions.size}` },
    { name: 'at least 3 folds', met: folds >= 3, found: `${folds}` },
    {
      name: 'upstream gets at most 50 % of what the page sent (last 10 turns)',
      met: share <= 0.5,
      found: `${Math.round(share * 100)} %`,
    },
    {
      name: 'facts asked about were folded: their messages did not go upstream',
      met: asked.length > 0 && folded.length === asked.length,
      found: `${folded.length} of ${asked.length}`,
    },
    {
      name: 'questions about folded facts answered',
      met: right.length === asked.length,
      found: `${right.length} of ${asked.length}`,
    },
  ];
}

/** Goals of the negative control: with empty summaries the same facts must be lost, or the answers above prove nothing. */
export function blankGoals(before: readonly Asked[], after: readonly Asked[]): Goal[] {
  const knew = before.filter(({ fact, reply }) => reply === fact.value);
  const lost = after.filter(({ fact, reply, original }) => !original && reply !== fact.value);
  return [
    {
      name: 'control: known before the fold',
      met: before.length > 0 && knew.length === before.length,
      found: `${knew.length} of ${before.length}`,
    },
    {
      name: 'control: with blank summaries not answered',
      met: after.length > 0 && lost.length === after.length,
      found: `${lost.length} of ${after.length}`,
    },
  ];
}

export const goalLine = ({ name, met, found }: Goal): string => `${met ? 'ok    ' : 'MISSED'} ${name}: ${found}`;
