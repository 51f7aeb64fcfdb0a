/** What is happening right now, what was left alone and why, and addresses that wait for the person's word. */
import type { LiveStream, PanelSnapshot } from '../../panel-messages.ts';
import { language, sentence, t } from '../../strings/strings.ts';
import { absolute, bytes, elapsed, relative } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { isSide } from '../../ui/states.ts';
import { allowUpstream, now } from '../store.ts';

export function Live({ live }: { live: LiveStream | null }) {
  if (live === null) return null;
  return (
    <p class="live row" role="status">
      <Icon name={live.phase === 'folding' ? 'fold' : 'stream'} />
      <strong class="grow">{t(`live.${live.phase}`)}</strong>
      <span class="number muted" aria-hidden="true">
        {t('live.numbers', { bytes: bytes(live.bytes), time: elapsed(now.value - live.startedAt) })}
      </span>
    </p>
  );
}

export function Bypass({ last }: { last: PanelSnapshot['lastBypass'] }) {
  if (last === null || isSide(last.code)) return null;
  return (
    <section class="bypass" data-code={last.code}>
      <h2 title={absolute(last.at, language.value)}>
        {t('bypass.title', { when: relative(last.at, now.value, language.value) })}
      </h2>
      <p>{sentence('bypass', last.code)}</p>
      <p class="muted clip" title={last.url}>
        {last.url}
      </p>
    </section>
  );
}

export function AskUpstream({ origins }: { origins: readonly string[] }) {
  return (
    <>
      {origins.map((origin) => (
        <section class="notice attention" key={origin} role="status">
          <Icon name="lock" />
          <div class="notice-text">
            <p>
              <strong>{t('status.ask.works')}</strong> {t('status.ask.cause', { origin })}
            </p>
            <button type="button" class="primary" onClick={() => allowUpstream(origin)}>
              {t('action.allow')} {origin}
            </button>
          </div>
        </section>
      ))}
    </>
  );
}
