/** The configuration: which source goes first, and every wrong value refused by the name it was given under. */
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../src/config.ts';
import { Fault } from '../src/fault.ts';

describe('the configuration', () => {
  const load = (file: object | string | null, environment = {}, flags = {}) =>
    loadConfig({
      file: file === null ? null : typeof file === 'string' ? file : JSON.stringify(file),
      environment,
      flags,
      defaultData: '/d',
    });

  it('takes flags over environment over file over defaults', () => {
    expect(load(null).port).toBe(4747);
    expect(load({ port: 1 }).port).toBe(1);
    expect(load({ port: 1 }, { THROUGHLINE_PORT: '2' }).port).toBe(2);
    expect(load({ port: 1 }, { THROUGHLINE_PORT: '2' }, { port: 3 }).port).toBe(3);
    expect(load({ fold: { keepMessages: 9 } }).fold).toMatchObject({ keepMessages: 9, triggerRatio: 0.5 });
    expect(load(null, { THROUGHLINE_FOLD_WINDOW_TOKENS: '9000' }).fold.windowTokens).toBe(9000);
    expect(load({ upstream: { allow: ['http://a:1'] } }, {}, { 'upstream.allow': ['http://b:2'] }).upstream.allow).toEqual([
      'http://a:1',
      'http://b:2',
    ]);
  });

  it('is frozen through and through', () => {
    const config = load(null);
    expect(() => Object.assign(config.fold, { mode: 'off' })).toThrow();
  });

  it.each([
    [{ port: '4747' }, 'port'],
    [{ port: 1.5 }, 'port'],
    [{ fold: { triggerRatio: 0 } }, 'fold.triggerRatio'],
    [{ fold: { mode: 'maybe' } }, 'fold.mode'],
    [{ fold: [] }, 'fold'],
    [{ folds: {} }, 'folds'],
    [{ upstream: { allow: ['http://a/b'] } }, 'upstream.allow'],
    [{ windows: { 'https://a': { m: 'many' } } }, 'windows'],
    [{ retentionDays: 0 }, 'retentionDays'],
    ['{', 'not JSON'],
    ['[]', 'object'],
  ])('%j is refused by name: %s', (file, name) => {
    expect(() => load(file)).toThrowError(Fault);
    expect(() => load(file)).toThrowError(name);
  });

  it.each([
    [{ port: 'x' }, /^--port must be /],
    [{ logLevel: 'loud' }, /^--log-level must be /],
    [{ 'upstream.allow': ['nowhere'] }, /^--allow-upstream must be /],
  ])('refuses a wrong flag as it is typed: %j', (flags, sentence) => {
    expect(() => loadConfig({ file: null, environment: {}, flags, defaultData: '/tmp/x' })).toThrowError(sentence);
  });

  it('refuses a wrong environment value by the name of its variable', () => {
    expect(() => load(null, { THROUGHLINE_FOLD_KEEP_MESSAGES: 'many' })).toThrowError('THROUGHLINE_FOLD_KEEP_MESSAGES');
  });
});
