/** A conversation about rivers that is long enough to fold, and the summary a provider gives of it. */
import type { Seen } from './upstream.ts';

/** Every request of these tests fits into the window, so that no extract stands in one. */
export const FOLDING = { 'fold.windowTokens': 6000, 'fold.keepTokens': 500, 'fold.minTurnsBetween': 0 };

export const SUMMARY =
  'Topic: Rivers of the region\n\nThe user asked about the rivers of the region one after the other. The assistant described the length, ' +
  'the sources and the towns of each of them, and the user decided to write a guide about the three longest ones first.';

export const isFold = (seen: Seen): boolean => seen.body.includes('Throughline fold request');

export const words = (i: number): string =>
  `Sentence ${i} about river number ${i}, its sources, its towns and its length. `.repeat(8);

/** The body of a chat request that replays so many questions and the answers between them. */
export const body = (turns: number): string =>
  JSON.stringify({
    model: 'demo',
    messages: Array.from({ length: 2 * turns - 1 }, (_, i) => ({
      role: i % 2 === 0 ? 'user' : 'assistant',
      content: words(i),
    })),
  });
