/**
 * Text in the person's language. Every sentence on screen comes from here.
 *
 * Invariant: both languages have the same keys (the compiler refuses otherwise). Reading `t` inside a component subscribes it to
 * the language, so a switch is seen at once. An unknown placeholder is left as written: never an exception in a panel.
 */
import { signal } from '@preact/signals';
import { en } from './en.ts';
import { zhCN } from './zh-CN.ts';

export type Key = keyof typeof en;
export type Language = 'en' | 'zh-CN';
export type Params = Readonly<Record<string, string | number>>;

const tables: Readonly<Record<Language, Readonly<Record<Key, string>>>> = { en, 'zh-CN': zhCN };

/** The language on screen now. */
export const language = signal<Language>('en');

/** The language a setting means, given what the browser prefers. */
export function languageOf(setting: 'system' | Language, preferred: string): Language {
  if (setting !== 'system') return setting;
  return preferred.toLowerCase().startsWith('zh') ? 'zh-CN' : 'en';
}

/** Fills `{name}`, and `{name|one|many}` by the number behind `name`. */
export function fill(template: string, params: Params): string {
  return template.replace(/\{(\w+)(?:\|([^|}]*)\|([^|}]*))?\}/g, (whole, name: string, one?: string, many?: string) => {
    const value = params[name];
    if (value === undefined) return whole;
    if (one === undefined || many === undefined) return String(value);
    return Number(value) === 1 ? one : many;
  });
}

/** The sentence for a key, in the language on screen. */
export function t(key: Key, params: Params = {}): string {
  return fill(tables[language.value][key], params);
}

/** Whether a key exists: for codes that come from elsewhere. */
export function isKey(key: string): key is Key {
  return Object.hasOwn(en, key);
}

/**
 * The sentence for a code of a family. Codes may carry a detail after a colon, or a status after `http-`; requests that were left
 * alone may carry the reason of the decision. What is left gets the family's general sentence, which names the code.
 */
export function sentence(family: Family, code: string, params: Params = {}): string {
  const key = `${family}.${code}`;
  if (isKey(key)) return t(key, params);
  const [, head, detail] = /^(http(?=-)|[^:]+(?=:))[:-](.*)$/.exec(code) ?? [];
  const wider = `${family}.${head}`;
  if (detail !== undefined && isKey(wider)) return t(wider, { ...params, detail });
  const reason = `reason.${code}`;
  if (family === 'bypass' && isKey(reason)) return t(reason, params);
  return t(`${family}.other`, { ...params, code });
}

/** Families of codes that always have a general sentence (`<family>.other`). */
export type Family =
  | 'via'
  | 'lineage'
  | 'reason'
  | 'means'
  | 'companion'
  | 'site'
  | 'bypass'
  | 'fold'
  | 'event'
  | 'wire'
  | 'error'
  | 'role'
  | 'data';
