import { describe, expect, it } from 'vitest';
import { problemOf } from '../../build/scripts.ts';
import { manifest } from '../../manifest.ts';

describe('what is registered on pages', () => {
  it.each(['(function(){var a=1})();', '(()=>{let a=1})()', '(function(e){e.a=1})({});'])('may be one IIFE: %s', (source) =>
    expect(problemOf(source, { limit: null })).toBeNull(),
  );
  it.each([
    'import"./x.js";(function(){})();',
    '(function(){import("./x.js")})();',
    'var a=1;(function(){})();',
    '(function(){})();var a=1;',
  ])('may not be %s', (source) => expect(problemOf(source, { limit: null })).not.toBeNull());
  it('must stay small', () => expect(problemOf('(function(){})();', { limit: 3 })).toContain('bytes gzipped'));
});

describe('the manifest', () => {
  const build = (browser: 'chrome' | 'firefox', allHosts: boolean) =>
    manifest({ browser, version: '1.2.3', allHosts, exists: () => true });

  it('asks for loopback only, and offers sites as optional', () => {
    for (const browser of ['chrome', 'firefox'] as const) {
      expect(build(browser, false)).toMatchObject({
        host_permissions: ['http://127.0.0.1/*'],
        optional_host_permissions: ['https://*/*', 'http://*/*'],
        permissions: ['activeTab', 'storage', 'unlimitedStorage', 'scripting'],
        incognito: 'not_allowed',
      });
    }
  });

  it('starts the background the way each browser knows', () => {
    expect(build('chrome', false).background).toEqual({ service_worker: 'src/background/main.ts', type: 'module' });
    expect(build('firefox', false).background).toEqual({ scripts: ['src/background/main.ts'], type: 'module' });
  });

  it('is refused by browsers that have no world of the page to put a script in', () => {
    const chrome = build('chrome', false) as { minimum_chrome_version: string };
    expect(Number(chrome.minimum_chrome_version)).toBeGreaterThanOrEqual(111);
    const { browser_specific_settings: firefox } = build('firefox', false) as {
      browser_specific_settings: Record<'gecko' | 'gecko_android', { strict_min_version: string }>;
    };
    for (const { strict_min_version: least } of Object.values(firefox))
      expect(Number.parseInt(least, 10)).toBeGreaterThanOrEqual(128);
  });

  it('connects to loopback only and exposes nothing to pages', () => {
    for (const browser of ['chrome', 'firefox'] as const) {
      const made = build(browser, false);
      const { extension_pages: policy } = made.content_security_policy as { extension_pages: string };
      const connect = policy.split('; ').find((part) => part.startsWith('connect-src'));
      expect(connect).toBe('connect-src http://127.0.0.1:* ws://127.0.0.1:*');
      expect(policy).not.toContain('unsafe');
      expect(made).not.toHaveProperty('web_accessible_resources');
    }
  });
});
