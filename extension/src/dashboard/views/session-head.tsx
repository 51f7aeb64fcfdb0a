/** Numbers of one conversation, and what can be done with it. */
import type { SessionDetail } from '../../panel-messages.ts';
import { language, sentence, t } from '../../strings/strings.ts';
import { confirmFirst } from '../../ui/confirm.tsx';
import { absolute, compact, exact, hostOf, relative } from '../../ui/format.ts';
import { ContextGauge } from '../../ui/gauge.tsx';
import { Icon } from '../../ui/icon.tsx';
import { exportData, foldNow, forget, setMode, undo, undoLast } from '../store.ts';

export function Actions({ session }: { session: SessionDetail }) {
  const id = session.session;
  const ask = () =>
    confirmFirst({
      title: t('forget.session.ask', { title: session.title }),
      text: t('forget.what'),
      action: t('forget.do'),
      act: () => forget(id, null),
    });
  return (
    <div class="row wrap">
      <button
        type="button"
        class="small"
        title={t('popup.fold.long')}
        disabled={session.mode === 'off'}
        onClick={() => foldNow(id)}
      >
        <Icon name="fold" size={14} /> {t('popup.fold')}
      </button>
      {undo.value?.session === id ? (
        <button type="button" class="small" onClick={undoLast}>
          <Icon name="undo" size={14} /> {t('popup.undo')}
        </button>
      ) : null}
      <button type="button" class="small" onClick={() => void exportData(id, 'json')}>
        {t('session.export.json')}
      </button>
      <button type="button" class="small" onClick={() => void exportData(id, 'markdown')}>
        {t('session.export.markdown')}
      </button>
      <button type="button" class="small danger" onClick={ask}>
        {t('session.forget')}
      </button>
    </div>
  );
}

export function Facts({ session }: { session: SessionDetail }) {
  const { stats } = session;
  const tongue = language.value;
  const numbers: (readonly [string, number])[] = [
    [t('session.saved'), session.saved],
    [t('session.received'), stats.received],
    [t('session.sent'), stats.sent],
    [t('session.cost'), stats.foldCost],
    [t('session.requests'), stats.requests],
  ];
  if (stats.possibleDoubleBills > 0) numbers.push([t('session.doubles'), stats.possibleDoubleBills]);
  return (
    <div class="facts">
      <div class="facts-left">
        <dl class="numbers" title={t('word.estimate.long')}>
          {numbers.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd class="number" title={exact(value, tongue)}>
                {compact(value)}
              </dd>
            </div>
          ))}
        </dl>
        <p class="small-text muted">
          {session.site === null ? '' : `${hostOf(session.site)} · `}
          {sentence('wire', session.wire)} · {session.model ?? t('word.unknown')} ·{' '}
          <span title={absolute(session.createdAt, tongue)}>
            {t('session.started')} {relative(session.createdAt, Date.now(), tongue)}
          </span>{' '}
          ·{' '}
          <span title={absolute(session.usedAt, tongue)}>
            {t('session.used')} {relative(session.usedAt, Date.now(), tongue)}
          </span>
        </p>
        <label class="row">
          <input
            type="checkbox"
            checked={session.mode === 'auto'}
            onChange={(event) => setMode(session.session, event.currentTarget.checked ? 'auto' : 'off')}
          />
          {t('session.folding')}
        </label>
      </div>
      <div class="facts-right">
        <ContextGauge gauge={session.gauge} />
        {stats.lastReported === null ? null : (
          <p class="small-text muted">{t('session.reported', { n: compact(stats.lastReported) })}</p>
        )}
      </div>
    </div>
  );
}
