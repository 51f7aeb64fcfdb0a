/** Sites: which are on, what they saved, and how to add, allow or forget one. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { language, sentence, t } from '../../strings/strings.ts';
import { AddSite, enable } from '../../ui/add-site.tsx';
import { ask } from '../../ui/ask.ts';
import { confirmFirst } from '../../ui/confirm.tsx';
import { compact, exact, hostOf } from '../../ui/format.ts';
import { Switch } from '../../ui/switch.tsx';
import { readSites, type SiteLine } from '../read-sites.ts';
import { forget, refresh, said, sites, snapshot, told } from '../store.ts';

export function Sites() {
  const lines = useSignal<readonly SiteLine[] | null>(null);
  const read = () =>
    void readSites([...(snapshot.value?.sites ?? []), ...sites.value]).then((found) => {
      lines.value = found;
    });
  useEffect(read, [snapshot.value, sites.value]);
  const done = (problem: string | null) => {
    said.value = problem;
    void refresh();
    read();
  };
  return (
    <div class="page">
      <h1>{t('nav.sites')}</h1>
      <p class="muted">{t('sites.lead')}</p>
      {lines.value?.length === 0 ? <p>{t('sites.none')}</p> : null}
      {lines.value === null || lines.value.length === 0 ? null : (
        <table>
          <thead>
            <tr>
              <th scope="col">{t('sites.column.site')}</th>
              <th scope="col">{t('sites.column.state')}</th>
              <th scope="col">{t('sites.column.saved')}</th>
              <th scope="col">{t('sites.column.resend')}</th>
              <th scope="col">{t('sites.column.switch')}</th>
            </tr>
          </thead>
          <tbody>
            {lines.value.map((line) => (
              <Line key={line.site} line={line} done={done} />
            ))}
          </tbody>
        </table>
      )}
      <p class="muted small-text">{t('sites.resend.long')}</p>
      <h2>{t('sites.add')}</h2>
      <AddSite done={done} />
    </div>
  );
}

function Line({ line, done }: { line: SiteLine; done: (problem: string | null) => void }) {
  const host = hostOf(line.site);
  const flip = () => {
    if (!line.on) void enable(line.site).then(done);
    else void ask({ verb: 'site.set', site: line.site, on: false }).then((reply) => done(told(reply) ? null : said.value));
  };
  const question = () =>
    confirmFirst({
      title: t('forget.site.ask', { host }),
      text: t('forget.what'),
      action: t('forget.do'),
      act: () => forget(null, line.site),
    });
  return (
    <tr>
      <th scope="row">
        {host}
        {line.asks.map((origin) => (
          <p key={origin} class="row small-text">
            {t('sites.ask', { origin })}
            <button
              type="button"
              class="small"
              onClick={() => void ask({ verb: 'site.allowUpstream', site: line.site, origin }).then(() => done(null))}
            >
              {t('action.allow')}
            </button>
          </p>
        ))}
      </th>
      <td>{sentence('site', line.state)}</td>
      <td class="number" title={exact(line.saved, language.value)}>
        {compact(line.saved)}
      </td>
      <td>{line.on ? <Resend line={line} done={done} /> : null}</td>
      <td>
        <span class="row">
          <Switch on={line.on} label={t('popup.switch', { host })} flip={flip} />
          <button type="button" class="small danger" onClick={question}>
            {t('sites.forget')}
          </button>
        </span>
      </td>
    </tr>
  );
}

/** Resending after a companion loss, for this site alone. */
function Resend({ line: { site, resend }, done }: { line: SiteLine; done: (problem: string | null) => void }) {
  const flip = () =>
    void ask({ verb: 'site.resend', site, on: !resend }).then((reply) => done(told(reply) ? null : said.value));
  return <input type="checkbox" checked={resend} aria-label={t('sites.resend', { host: hostOf(site) })} onChange={flip} />;
}
