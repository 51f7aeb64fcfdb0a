/** Help: what can be relied on, what is covered, and every key. */
import { t } from '../../strings/strings.ts';

const KEYS = [
  ['/', 'key.search'],
  ['j k', 'key.move'],
  ['Enter', 'key.open'],
  ['1 2 3 4', 'key.tabs'],
  ['o', 'key.originals'],
  ['p', 'key.pin'],
  ['f', 'key.fold'],
  ['u', 'key.unfold'],
  ['z', 'key.undo'],
  ['w', 'key.why'],
  ['g s', 'key.go.sessions'],
  ['g l', 'key.go.lineage'],
  ['g d', 'key.go.flow'],
  ['g h', 'key.go.health'],
  ['?', 'key.help'],
  ['Esc', 'key.back'],
] as const;

export function Help() {
  return (
    <div class="page">
      <h1>{t('help.title')}</h1>
      <section>
        <h2>{t('help.promise')}</h2>
        <ul class="points">
          <li>{t('help.promise.1')}</li>
          <li>{t('help.promise.2')}</li>
          <li>{t('help.promise.3')}</li>
        </ul>
      </section>
      <section>
        <h2>{t('help.covered')}</h2>
        <ul class="points">
          <li>{t('help.covered.yes')}</li>
          <li>{t('help.covered.no')}</li>
        </ul>
      </section>
      <section>
        <h2>{t('help.keys')}</h2>
        <p class="muted">{t('help.keys.lead')}</p>
        <dl class="pairs keys">
          {KEYS.map(([keys, key]) => (
            <div key={keys}>
              <dt>
                {keys.split(' ').map((one) => (
                  <kbd key={one}>{one}</kbd>
                ))}
              </dt>
              <dd>{t(key)}</dd>
            </div>
          ))}
        </dl>
      </section>
    </div>
  );
}
