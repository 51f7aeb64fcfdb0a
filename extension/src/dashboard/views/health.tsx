/** State of the parts, storage, and a report to copy that holds no text, key or address. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../../platform.ts';
import { sentence, t } from '../../strings/strings.ts';
import { ask, pageUrl } from '../../ui/ask.ts';
import { confirmFirst } from '../../ui/confirm.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { bytes } from '../../ui/format.ts';
import { refresh, sessions, snapshot, told } from '../store.ts';

interface Storage {
  readonly used: number;
  readonly quota: number;
  readonly persisted: boolean;
}

export function Health() {
  const storage = useSignal<Storage | null>(null);
  useEffect(() => {
    void Promise.all([navigator.storage.estimate(), navigator.storage.persisted()]).then(([room, persisted]) => {
      storage.value = { used: room.usage ?? 0, quota: room.quota ?? 0, persisted };
    });
  }, []);
  const found = snapshot.value;
  if (found === null) return <p class="page muted">{t('app.loading')}</p>;
  const room = storage.value;
  const version = api.runtime.getManifest().version;
  const rows: (readonly [string, string])[] = [
    [t('health.companion'), sentence('companion', found.companion)],
    [t('health.port'), found.companionPort === null ? t('word.none') : String(found.companionPort)],
    [t('health.version'), version],
    [t('health.sessions'), String(sessions.value?.length ?? 0)],
  ];
  if (room !== null) {
    rows.push([t('health.storage'), t('health.storage.value', { used: bytes(room.used), quota: bytes(room.quota) })]);
    rows.push([t('health.persisted'), t(room.persisted ? 'health.persisted.yes' : 'health.persisted.no')]);
  }
  const report = {
    version,
    browser: navigator.userAgent,
    companion: found.companion,
    sessions: sessions.value?.length ?? 0,
    storage: room,
    kept: found.storage ?? 'ok',
    saved: found.saved.all,
    settings: found.settings,
  };
  const unpair = () =>
    confirmFirst({
      title: t('health.unpair.ask'),
      text: t('health.unpair.what'),
      action: t('health.unpair').replace('…', ''),
      act: () => void ask({ verb: 'unpair' }).then(told).then(refresh),
    });
  return (
    <div class="page">
      <h1>{t('health.title')}</h1>
      <dl class="pairs">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <div class="row wrap">
        <CopyButton text={JSON.stringify(report, null, 2)} label={t('health.copy')} />
        <span class="muted">{t('health.copy.long')}</span>
      </div>
      {found.companion === 'never-paired' ? (
        <p>
          <a class="button primary" href={pageUrl('onboarding')}>
            {t('state.never-paired.action')}
          </a>
        </p>
      ) : (
        <p>
          <button type="button" class="small danger" onClick={unpair}>
            {t('health.unpair')}
          </button>
        </p>
      )}
    </div>
  );
}
