/**
 * Applies language and theme to the page, at once when a setting changes.
 *
 * The last choice is remembered beside the page so that the first paint is right; it is only a language and a colour.
 */
import type { Settings } from '../panel-messages.ts';
import { language, languageOf } from '../strings/strings.ts';

const dark = matchMedia('(prefers-color-scheme: dark)');
let theme: Settings['theme'] = 'system';

function paint(): void {
  const name = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme;
  document.documentElement.dataset.theme = name;
}

/** Before the first paint: what was chosen last time, else what system and browser prefer. */
export function applyRemembered(): void {
  const stored = localStorage.getItem('theme');
  theme = stored === 'light' || stored === 'dark' ? stored : 'system';
  const spoken = localStorage.getItem('language');
  language.value = languageOf(spoken === 'en' || spoken === 'zh-CN' ? spoken : 'system', navigator.language);
  document.documentElement.lang = language.value;
  dark.addEventListener('change', paint);
  paint();
}

/** What the settings say, now and for the next first paint. */
export function applySettings(settings: Pick<Settings, 'theme' | 'language'>): void {
  theme = settings.theme;
  language.value = languageOf(settings.language, navigator.language);
  document.documentElement.lang = language.value;
  localStorage.setItem('theme', settings.theme);
  localStorage.setItem('language', settings.language);
  paint();
}
