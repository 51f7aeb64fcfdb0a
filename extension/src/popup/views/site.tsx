/** The site: big switch, pause, whether it works, and what it saved. */
import { useSignal } from '@preact/signals';
import type { PanelSnapshot } from '../../panel-messages.ts';
import { language, sentence, t } from '../../strings/strings.ts';
import { AddSite } from '../../ui/add-site.tsx';
import { compact, exact, hostOf, percent } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Switch } from '../../ui/switch.tsx';
import type { LastRequest, PopupView } from '../model.ts';
import { pause, setSite, siteAdded, where } from '../store.ts';

export function Site({ snapshot, view }: { snapshot: PanelSnapshot; view: PopupView }) {
  const host = snapshot.site === null ? t('popup.site.none') : hostOf(snapshot.site);
  return (
    <section class="site" aria-label={host}>
      <div class="row spread">
        <p class="host grow clip" title={snapshot.site ?? ''}>
          {host}
        </p>
        {view.switchable ? <Switch on={view.on} label={t('popup.switch', { host })} flip={() => setSite(!view.on)} /> : null}
      </div>
      <div class="row spread second">
        <p class={view.notice === null && view.status !== 'status.idle' ? 'good' : 'muted'}>
          {view.notice === null ? t(view.status) : sentence('site', snapshot.siteState)}
        </p>
        {view.pausable ? <Pause /> : null}
      </div>
      {snapshot.site === null ? <AddSite done={siteAdded} /> : null}
      {view.notice === null ? null : (
        <Notice state={view.notice} snapshot={snapshot} tab={where.value.tab} enable={() => setSite(true)} />
      )}
      {snapshot.workers ? <p class="muted workers">{t('bypass.worker')}</p> : null}
      <Saved snapshot={snapshot} last={view.last} />
    </section>
  );
}

function Pause() {
  const chosen = useSignal(false);
  const spans = where.value.tab === null ? (['hour', 'open'] as const) : (['hour', 'tab', 'open'] as const);
  return (
    <div class="row wrap pause">
      <button type="button" class="small" aria-expanded={chosen.value} onClick={() => (chosen.value = !chosen.value)}>
        <Icon name="pause" size={12} /> {t('popup.pause')}
      </button>
      {chosen.value
        ? spans.map((span) => (
            <button type="button" class="small" key={span} onClick={() => pause(span)}>
              {t(`popup.pause.${span}`)}
            </button>
          ))
        : null}
    </div>
  );
}

function Saved({ snapshot, last }: { snapshot: PanelSnapshot; last: LastRequest | null }) {
  const { site, all } = snapshot.saved;
  if (snapshot.site === null && all === 0) return null;
  const shown = snapshot.site === null ? all : site;
  return (
    <div class="saved" title={t('popup.saved.long')}>
      <p class="row spread">
        <span>
          {snapshot.site === null ? null : `${t('popup.saved')} `}
          <strong class="big number" title={exact(shown, language.value)}>
            {snapshot.site === null
              ? t('popup.saved.total', { n: compact(all) })
              : site === 0
                ? t('popup.saved.none')
                : t('count.tokens', { n: compact(site) })}
          </strong>{' '}
          {shown === 0 ? null : (
            <abbr class="muted" title={t('word.estimate.long')}>
              {t('word.estimate')}
            </abbr>
          )}
        </span>
        {snapshot.site !== null && all !== site ? <span class="muted">{t('popup.saved.all', { n: compact(all) })}</span> : null}
      </p>
      {last === null ? null : <Last last={last} />}
    </div>
  );
}

function Last({ last }: { last: LastRequest }) {
  const { before, after } = last;
  const words = { before: compact(before), after: compact(after), percent: percent(before - after, before) };
  const smaller = after < before;
  return (
    <>
      <div class="before-after" role="img" aria-label={t('popup.last.picture', words)}>
        <span style={{ width: `${Math.min(100, (after / before) * 100)}%` }} />
      </div>
      <p class="muted">{t(smaller ? 'popup.last' : 'popup.last.same', words)}</p>
    </>
  );
}
