/** Where conversations go: every destination, per site. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { t } from '../../strings/strings.ts';
import { hostOf } from '../../ui/format.ts';
import { readSites, type SiteLine } from '../read-sites.ts';
import { sites, snapshot } from '../store.ts';

export function Flow() {
  const lines = useSignal<readonly SiteLine[]>([]);
  useEffect(() => {
    void readSites(snapshot.value?.sites ?? sites.value).then((read) => {
      lines.value = read;
    });
  }, [snapshot.value, sites.value]);
  const on = lines.value.filter((line) => line.on);
  const companion = `127.0.0.1:${snapshot.value?.companionPort ?? '—'}`;
  return (
    <div class="page">
      <h1>{t('flow.title')}</h1>
      <p class="muted">{t('flow.lead')}</p>
      {on.length === 0 ? <p>{t('flow.none')}</p> : null}
      {on.length === 0 ? null : (
        <table>
          <thead>
            <tr>
              <th scope="col">{t('flow.from')}</th>
              <th scope="col">{t('flow.to')}</th>
              <th scope="col">{t('flow.what')}</th>
            </tr>
          </thead>
          <tbody>
            {on.map((line) => (
              <tr key={`${line.site} companion`}>
                <td>{hostOf(line.site)}</td>
                <td>
                  <code>{companion}</code>
                  <br />
                  <span class="muted">{t('flow.companion')}</span>
                </td>
                <td>{t('flow.companion.what')}</td>
              </tr>
            ))}
            {on.map((line) => (
              <tr key={`${line.site} upstream`}>
                <td>
                  <code>{companion}</code>
                  <br />
                  <span class="muted">{hostOf(line.site)}</span>
                </td>
                <td>
                  {line.upstreams.length === 0
                    ? t('flow.upstream.page')
                    : line.upstreams.map((origin) => (
                        <code class="lines" key={origin}>
                          {origin}
                        </code>
                      ))}
                </td>
                <td>{t('flow.upstream.what')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}
