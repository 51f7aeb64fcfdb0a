import { describe, expect, it } from 'vitest';
import { outputLimit, sourceLimit, summaryTokens } from '#fold/budget';
import { exceedsWindow } from '#fold/outgoing';
import { windowOf } from '#fold/windows';

describe('the context window', () => {
  it('is what the person configured, then what the upstream told, then the table', () => {
    expect(windowOf('gpt-4o', 8000, 9000)).toEqual({ tokens: 8000, source: 'config' });
    expect(windowOf('gpt-4o', null, 9000)).toEqual({ tokens: 9000, source: 'upstream' });
    expect(windowOf('gpt-4o', null)).toEqual({ tokens: 128_000, source: 'table' });
    expect(windowOf('gpt-4o', 0, Number.NaN)).toEqual({ tokens: 128_000, source: 'table' });
  });

  it('knows families by their longest name, dated versions and a vendor in front', () => {
    expect(windowOf('gpt-4', null).tokens).toBe(8192);
    expect(windowOf('gpt-4-0613', null).tokens).toBe(8192);
    expect(windowOf('gpt-4o-mini-2024-07-18', null).tokens).toBe(128_000);
    expect(windowOf('anthropic/claude-3-5-sonnet-latest', null).tokens).toBe(200_000);
    expect(windowOf('O3-mini', null).tokens).toBe(200_000);
  });

  it('stays unknown for what it does not know, and for a local model that only its server knows', () => {
    for (const model of [
      null,
      '',
      'demo',
      'o32',
      'future-model-x',
      'llama3.2:3b',
      'deepseek-chat:7b',
      '__proto__',
      'constructor',
    ]) {
      expect(windowOf(model, null)).toEqual({ tokens: null, source: 'unknown' });
    }
  });

  it('is never exceeded while unknown', () => {
    expect(exceedsWindow(1e9, 1e9, null)).toBe(false);
    expect(exceedsWindow(150_000, null, 128_000)).toBe(true);
    expect(exceedsWindow(127_000, 4000, 128_000)).toBe(true);
    expect(exceedsWindow(100_000, 4000, 128_000)).toBe(false);
  });
});

describe('a summary request', () => {
  it('always fits the window it goes to', () => {
    for (const window of [4096, 8192, 32_768, 128_000]) {
      const source = sourceLimit(window);
      for (const tier of [1, 2]) {
        const output = outputLimit(summaryTokens(source, tier), source, window);
        expect(source + output).toBeLessThan(window);
        expect(output).toBeGreaterThan(summaryTokens(source, tier));
      }
    }
  });
});
