/** An answer of six minutes: longer than any single event of a background may take. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askAndLeave, type Life, settled, slowAnswer, startLife } from '../../fixtures/life.ts';
import { until } from '../../fixtures/process.ts';

const SECONDS = 365;

let life: Life;
beforeAll(async () => {
  life = await startLife();
});
afterAll(() => life?.dispose());

test('a chunk every second for six minutes: all of them arrive as they come, in one life, and the next turn continues it', async () => {
  const tab = await life.open();
  const question = { role: 'user', content: 'Please describe every ship to me.' };
  life.front.fault({ kind: 'live', pieces: slowAnswer(Array.from({ length: SECONDS }, () => 1_000)) });
  const left = await askAndLeave(tab, [question]);
  await until('the request arrives', () => life.front.recorded.length === 1);
  const first = await life.browser.life();
  const { seen, life: then } = await settled(life.browser, left, SECONDS + 60);
  expect(seen).toMatchObject({ status: 200, error: null });
  expect(seen.body).toBe(Buffer.concat(life.front.recorded[0]?.pieces ?? []).toString());
  expect(seen.reads).toBe(SECONDS + 1);
  expect(seen.longest).toBeLessThan(10_000);
  expect(first).not.toBeNull();
  expect(then).toBe(first);
  const words = Array.from({ length: SECONDS }, (_, n) => `word ${n} `).join('');
  const next = await askAndLeave(tab, [
    question,
    { role: 'assistant', content: words },
    { role: 'user', content: 'And boats?' },
  ]);
  expect(await until('the next answer ends', next.outcome)).toMatchObject({ status: 200, error: null });
  const { session } = await life.browser.ask<{ session: { stats: { requests: number } } }>({
    verb: 'snapshot',
    site: life.site,
    tab: null,
  });
  expect(session.stats.requests).toBe(2);
});
