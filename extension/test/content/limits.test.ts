/** What no frame can carry is left to the page, each limit on its own. */
import { expect, it } from 'vitest';
import { withinLimits } from '../../src/content/limits.ts';

const request = (change: Partial<Parameters<typeof withinLimits>[0]> = {}) => ({
  url: 'https://api.example/v1/messages',
  method: 'POST',
  headers: [['accept', '*/*']] as [string, string][],
  ...change,
});
const MIB = 1024 * 1024;

it.each([
  ['an ordinary one', request(), 100, true],
  ['a body of 64 MiB', request(), 64 * MIB, true],
  ['a body of one byte more', request(), 64 * MIB + 1, false],
  ['a URL of 16 KiB and more', request({ url: `https://a/${'x'.repeat(16_384)}` }), 1, false],
  ['127 headers', request({ headers: Array.from({ length: 127 }, (_, n) => [`h${n}`, '']) }), 1, true],
  ['128 headers, with the origin 129', request({ headers: Array.from({ length: 128 }, (_, n) => [`h${n}`, '']) }), 1, false],
  ['a long name', request({ headers: [['x'.repeat(257), '']] }), 1, false],
  ['a long value', request({ headers: [['x', 'y'.repeat(16_385)]] }), 1, false],
])('%s: %#', (_, given, bytes, fits) => {
  expect(withinLimits(given, bytes)).toBe(fits);
});
