/** The list of conversations: search, filter, ten thousand rows. */
import type { SessionSummary } from '../../panel-messages.ts';
import { language, sentence, t } from '../../strings/strings.ts';
import { compact, hostOf, relative } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { VirtualList } from '../../ui/virtual.tsx';
import { current, openSession, query, sessions, site, sites } from '../store.ts';

export function Sessions() {
  const list = sessions.value;
  const selected = list?.findIndex((one) => one.session === current.value) ?? -1;
  return (
    <section class="list" aria-label={t('nav.sessions')}>
      <div class="list-head">
        <label class="search">
          <Icon name="search" />
          <span class="hidden-visually">{t('sessions.search')}</span>
          <input
            id="search"
            type="search"
            placeholder={t('sessions.search')}
            value={query.value}
            onInput={(event) => (query.value = event.currentTarget.value)}
          />
        </label>
        <div class="row spread">
          <label class="row grow">
            <span class="muted">{t('sessions.site')}</span>
            <select
              class="grow"
              value={site.value ?? ''}
              onChange={(event) => (site.value = event.currentTarget.value === '' ? null : event.currentTarget.value)}
            >
              <option value="">{t('sessions.site.all')}</option>
              {sites.value.map((origin) => (
                <option key={origin} value={origin}>
                  {hostOf(origin)}
                </option>
              ))}
            </select>
          </label>
          <span class="muted number" role="status">
            {list === null ? '' : t('count.sessions', { n: list.length })}
          </span>
        </div>
      </div>
      {list === null ? <p class="pad muted">{t('app.loading')}</p> : null}
      {list?.length === 0 ? (
        <p class="pad muted">{t(query.value === '' && site.value === null ? 'sessions.none' : 'sessions.nomatch')}</p>
      ) : null}
      {list !== null && list.length > 0 ? (
        <VirtualList
          id="sessions"
          label={t('sessions.list')}
          items={list}
          rowHeight={58}
          selected={selected}
          keyOf={(one) => one.session}
          select={(index) => {
            const one = list[index];
            if (one !== undefined) openSession(one.session);
          }}
        >
          {(one) => <Line one={one} />}
        </VirtualList>
      ) : null}
    </section>
  );
}

function Line({ one }: { one: SessionSummary }) {
  return (
    <>
      <p class="row">
        <span class="grow clip line-title">{one.title}</span>
        {one.live ? (
          <span class="live-mark">
            <Icon name="stream" size={14} /> {t('sessions.live')}
          </span>
        ) : (
          <span class="muted small-text number">{relative(one.usedAt, Date.now(), language.value)}</span>
        )}
      </p>
      <p class="row small-text muted">
        <span class="clip grow">
          {one.site === null ? sentence('wire', one.wire) : hostOf(one.site)} · {t('count.messages', { n: one.messages })}
        </span>
        {one.lineage === null ? null : (
          <span class={`kind-${one.lineage.kind}`}>
            <span class="kind">
              <Icon name={one.lineage.kind} size={14} />
              {sentence('lineage', one.lineage.kind)}
            </span>
          </span>
        )}
        {one.saved > 0 ? <span class="number">{t('sessions.saved', { n: compact(one.saved) })}</span> : null}
      </p>
    </>
  );
}
