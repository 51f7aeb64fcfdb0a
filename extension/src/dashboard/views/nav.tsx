/** Sections, companion status, and the language. */
import { language, sentence, t } from '../../strings/strings.ts';
import { ask } from '../../ui/ask.ts';
import { Icon } from '../../ui/icon.tsx';
import { applySettings } from '../../ui/theme.ts';
import { PLACES } from '../route.ts';
import { refresh, route, snapshot } from '../store.ts';

export function Nav() {
  const here = route.value.place === 'session' ? 'sessions' : route.value.place;
  const other = language.value === 'en' ? 'zh-CN' : 'en';
  const companion = snapshot.value?.companion;
  const speak = () => {
    if (snapshot.value !== null) applySettings({ ...snapshot.value.settings, language: other });
    void ask({ verb: 'settings.set', settings: { language: other } }).then(refresh);
  };
  return (
    <header class="nav">
      <p class="row brand">
        <span class="logo">
          <Icon name="logo" size={20} />
        </span>
        <strong>{t('app.name')}</strong>
      </p>
      <nav aria-label={t('nav.label')}>
        <ul>
          {PLACES.map((place) => (
            <li key={place}>
              <a href={`#/${place}`} aria-current={place === here ? 'page' : undefined}>
                {t(`nav.${place}`)}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="nav-foot">
        {companion === undefined ? null : (
          <p class={`status is-${companion === 'connected' ? 'good' : companion === 'connecting' ? 'wait' : 'bad'}`}>
            <span class="dot" aria-hidden="true" />
            {sentence('companion', companion)}
          </p>
        )}
        <button type="button" class="small" lang={other} title={t('action.language.long')} onClick={speak}>
          {t('action.language')}
        </button>
      </div>
    </header>
  );
}
