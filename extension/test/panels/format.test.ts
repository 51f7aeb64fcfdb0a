import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytes, compact, elapsed, hostOf, percent, ranges, relative, shortHash } from '../../src/ui/format.ts';

describe('numbers have one unit style', () => {
  it.each([
    [0, '0'],
    [812, '812'],
    [999, '999'],
    [1000, '1k'],
    [12_400, '12.4k'],
    [999_949, '999.9k'],
    [999_950, '1M'],
    [1_234_567, '1.2M'],
    [2_500_000_000, '2.5G'],
    [-12_400, '−12.4k'],
  ])('%i is %s', (count, text) => expect(compact(count)).toBe(text));

  it('never grows beyond seven characters nor loses order', () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: 2 ** 40 }), (count) => compact(count).length <= 7));
  });

  it('never shows something as nothing, nor part as all', () => {
    expect(percent(1, 100_000)).toBe('< 1 %');
    expect(percent(99_999, 100_000)).toBe('99 %');
    expect(percent(0, 0)).toBe('0 %');
    expect(percent(5, 10)).toBe('50 %');
  });

  it('counts bytes and time', () => {
    expect(bytes(812)).toBe('812 B');
    expect(bytes(12_400)).toBe('12.4 kB');
    expect(elapsed(8_900)).toBe('8 s');
    expect(elapsed(65_000)).toBe('1:05 min');
    expect(elapsed(-5)).toBe('0 s');
  });
});

describe('times and names', () => {
  it('tells times relative to now, in the language', () => {
    const now = Date.UTC(2026, 0, 2);
    expect(relative(now - 20_000, now, 'en')).toBe('now');
    expect(relative(now - 180_000, now, 'en')).toBe('3 min. ago');
    expect(relative(now - 180_000, now, 'zh-CN')).toBe('3分钟前');
    expect(relative(now - 86_400_000, now, 'en')).toBe('yesterday');
  });

  it('shortens digests and hosts', () => {
    expect(shortHash('9f3c0000000000000000e1a0')).toBe('9f3c…e1a0');
    expect(hostOf('https://chat.example.com')).toBe('chat.example.com');
    expect(hostOf('http://localhost:8080')).toBe('http://localhost:8080');
  });
});

describe('message numbers as ranges', () => {
  it('joins neighbours', () => expect(ranges([3, 1, 2, 7, 9, 8, 12])).toBe('1–3, 7–9, 12'));
  it('is empty for nothing', () => expect(ranges([])).toBe(''));
  it('loses and invents no number', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(60)), (numbers) => {
        const read = ranges(numbers)
          .split(', ')
          .filter((part) => part !== '')
          .flatMap((part) => {
            const [first = 0, last = first] = part.split('–').map(Number);
            return Array.from({ length: last - first + 1 }, (_, at) => first + at);
          });
        expect(read).toEqual(numbers.toSorted((a, b) => a - b));
      }),
    );
  });
});
