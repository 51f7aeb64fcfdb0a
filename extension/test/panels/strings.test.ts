import { afterEach, describe, expect, it } from 'vitest';
import { en } from '../../src/strings/en.ts';
import { fill, isKey, language, languageOf, sentence, t } from '../../src/strings/strings.ts';
import { zhCN } from '../../src/strings/zh-CN.ts';

const names = (text: string) => [...new Set([...text.matchAll(/\{(\w+)/g)].map((found) => found[1]))].sort();
const keys = Object.keys(en) as (keyof typeof en)[];

afterEach(() => {
  language.value = 'en';
});

describe('both languages say the same things', () => {
  it('has the same keys, none empty', () => {
    expect(Object.keys(zhCN).sort()).toEqual([...keys].sort());
    for (const key of keys) {
      expect(en[key].trim(), key).not.toBe('');
      expect(zhCN[key].trim(), key).not.toBe('');
    }
  });

  it('fills the same placeholders', () => {
    for (const key of keys) expect(names(zhCN[key]), key).toEqual(names(en[key]));
  });

  it('translates every sentence: no English left in Chinese', () => {
    const same = keys.filter((key) => zhCN[key] === en[key] && /[a-z]{3}/.test(en[key].replace(/\{[^}]*\}/g, '')));
    expect(same.filter((key) => key !== 'app.name' && !key.startsWith('wire.'))).toEqual([]);
  });

  it('writes Chinese with full-width punctuation and a space between Han and Latin', () => {
    for (const key of keys) {
      expect(/[\u4e00-\u9fff][,;:?!]/.test(zhCN[key]), `${key}: ${zhCN[key]}`).toBe(false);
      expect(/[\u4e00-\u9fff][A-Za-z]|[A-Za-z][\u4e00-\u9fff]/.test(zhCN[key]), `${key}: ${zhCN[key]}`).toBe(false);
    }
  });

  it('switches at once', () => {
    expect(t('action.open')).toBe('Open');
    language.value = 'zh-CN';
    expect(t('action.open')).toBe('打开');
  });

  it('follows the setting before the browser', () => {
    expect(languageOf('en', 'zh-CN')).toBe('en');
    expect(languageOf('system', 'zh-TW')).toBe('zh-CN');
    expect(languageOf('system', 'de')).toBe('en');
  });
});

describe('placeholders', () => {
  it('picks one or many by the number', () => {
    expect(fill('{n} {n|block|blocks}', { n: 1 })).toBe('1 block');
    expect(fill('{n} {n|block|blocks}', { n: 0 })).toBe('0 blocks');
  });

  it('leaves an unknown placeholder as written and never reads text twice', () => {
    expect(fill('{a} {b}', { a: '{b}' })).toBe('{b} {b}');
  });
});

describe('every code has a sentence', () => {
  const families: Record<string, readonly string[]> = {
    via: ['declared', 'prefix', 'signal', 'new', 'side', 'bypass'],
    lineage: ['forked', 'truncated', 'derived', 'continued', 'root'],
    reason: [
      'head-extended',
      'head-repeated',
      'nothing-known',
      'history-diverged',
      'head-in-flight',
      'other-document',
      'session-raced',
      'too-little',
      'no-user-turn',
      'server-held',
      'side-budget',
      'not-utf8',
      'too-large',
    ],
    companion: [
      'connected',
      'connecting',
      'never-paired',
      'companion-off',
      'port-taken',
      'other-companion',
      'version-mismatch',
      'blocked-by-browser',
    ],
    site: ['not-enabled', 'permission-missing', 'waiting', 'active', 'paused', 'no-site'],
    event: ['turn', 'fold', 'fold-failed', 'unfold', 'refold', 'quarantine', 'bypass', 'resend', 'pin', 'mode'],
    bypass: [
      'not-enabled',
      'paused',
      'upstream-not-approved',
      'learned-bypass',
      'auth-retry',
      'resent',
      'too-large',
      'too-many',
      'cookies',
      'options',
      'body-kind',
      'redirect',
      'server-held',
      'head-in-flight',
      'no-user-turn',
      'companion-refused:upstream',
      'companion-refused:upstream-unreachable',
      'body-unreadable',
      'port-lost',
      'detached',
      'companion-off',
      'not-paired',
      'restoring',
      'internal',
      'not-utf8',
      'not-json',
      'unknown-wire',
    ],
    fold: [
      'provider-error',
      'unfinished',
      'tool-call',
      'empty',
      'too-short',
      'too-long',
      'not-smaller',
      'ill-formed',
      'refused',
      'echo',
      'repetitive',
      'no-window',
      'below-trigger',
      'too-soon',
      'backing-off',
      'nothing-foldable',
      'too-small',
      'no-room',
      'already-folded',
      'block-taken',
      'children-gone',
      'rows-unknown',
      'folding-off',
      'moved-on',
      'no-recent-request',
      'internal',
    ],
  };
  for (const [family, codes] of Object.entries(families)) {
    it(family, () => {
      for (const code of codes) expect(isKey(`${family}.${code}`), `${family}.${code}`).toBe(true);
      expect(isKey(`${family}.other`)).toBe(true);
    });
  }

  it('says what each reason means', () => {
    for (const code of families.reason ?? []) expect(isKey(`means.${code}`), code).toBe(true);
  });

  it('reads details, statuses and reasons of decisions', () => {
    expect(sentence('bypass', 'companion-refused:bad-header')).toContain('bad-header');
    expect(sentence('fold', 'http-429')).toContain('429');
    expect(sentence('bypass', 'too-little')).toBe(t('reason.too-little'));
    expect(sentence('bypass', 'side:side-budget')).toBe(t('bypass.side', { detail: '' }));
  });

  it('names an unknown code in a whole sentence', () => {
    expect(sentence('bypass', 'from-the-future')).toBe('It was left alone for reason “from-the-future”.');
    expect(sentence('reason', 'toString')).toContain('toString');
  });
});
