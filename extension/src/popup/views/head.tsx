/** Name, companion status in words, language and dashboard. */
import type { PanelSnapshot } from '../../panel-messages.ts';
import { language, sentence, t } from '../../strings/strings.ts';
import { pageUrl } from '../../ui/ask.ts';
import { Icon } from '../../ui/icon.tsx';
import type { PopupView } from '../model.ts';
import { setLanguage } from '../store.ts';

export function Head({ snapshot, view }: { snapshot: PanelSnapshot; view: PopupView }) {
  const other = language.value === 'en' ? 'zh-CN' : 'en';
  return (
    <header class="head row">
      <span class="logo">
        <Icon name="logo" size={18} />
      </span>
      <strong class="grow">{t('app.name')}</strong>
      <span class={`status is-${view.dot}`} role="status">
        <span class="dot" aria-hidden="true" />
        {sentence('companion', snapshot.companion)}
      </span>
      <button
        type="button"
        class="small plain"
        lang={other}
        title={t('action.language.long')}
        onClick={() => setLanguage(other)}
      >
        {t('action.language')}
      </button>
      <a
        class="button small plain"
        href={pageUrl('dashboard', 'settings')}
        target="_blank"
        rel="noreferrer"
        aria-label={t('action.settings')}
      >
        <Icon name="settings" />
      </a>
    </header>
  );
}
