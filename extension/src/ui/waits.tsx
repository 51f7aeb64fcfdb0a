/** Why no new fold comes right now: a failed one waits its turns, or folding is switched off here. */
import type { SessionDetail } from '../panel-messages.ts';
import { sentence, t } from '../strings/strings.ts';

/** The sentence, or null when nothing holds a fold back. */
export function waitLine({ paused, retry }: Pick<SessionDetail, 'paused' | 'retry'>): string | null {
  if (retry !== undefined) return t('session.retry', { reason: sentence('fold', retry.code), turns: retry.turns });
  return paused === null ? null : t('session.waits', { reason: sentence('fold', paused) });
}

export function Waits({ session }: { session: SessionDetail }) {
  const line = waitLine(session);
  return line === null ? null : (
    <p class="small-text muted" role="status" data-waits={session.retry?.code ?? session.paused}>
      {line}
    </p>
  );
}
