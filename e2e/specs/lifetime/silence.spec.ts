/**
 * A provider that says nothing for 45 seconds, longer than a browser lets an idle background live. Each keepalive must carry the
 * stream alone; the controls have neither, and lose it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BareBrowser } from '../../fixtures/bare.ts';
import { anotherBrowser, askAndLeave, settled, slowAnswer } from '../../fixtures/life.ts';
import { pause, until } from '../../fixtures/process.ts';
import { BACKGROUND_TIMER_OFF, type Change, PAGE_TIMER_OFF } from '../../fixtures/variant.ts';
import { type Services, startServices } from '../../fixtures/world.ts';

const SILENT = 45_000;

interface Case {
  readonly changes: readonly Change[];
  readonly silent: 'before the head' | 'between chunks';
}

const CASES = {
  'as built, before the head': { changes: [], silent: 'before the head' },
  'as built, between chunks': { changes: [], silent: 'between chunks' },
  'only the page keeps the background awake': { changes: [BACKGROUND_TIMER_OFF], silent: 'between chunks' },
  'only the background keeps itself awake': { changes: [PAGE_TIMER_OFF], silent: 'between chunks' },
  'nothing does, before the head': { changes: [BACKGROUND_TIMER_OFF, PAGE_TIMER_OFF], silent: 'before the head' },
  'nothing does, between chunks': { changes: [BACKGROUND_TIMER_OFF, PAGE_TIMER_OFF], silent: 'between chunks' },
} satisfies Record<string, Case>;

interface Running {
  readonly browser: BareBrowser;
  /** The life in which it was asked. */
  readonly life: string | null;
  readonly end: ReturnType<typeof settled>;
  /** Which of the provider's requests it is. */
  readonly sent: number;
}

let services: Services;
const running = new Map<string, Running>();

/** One after the other, so that each meets its own silence; then all of them wait at once. */
beforeAll(async () => {
  services = await startServices();
  const { front, site } = services;
  for (const [name, { changes, silent }] of Object.entries(CASES)) {
    const browser = await anotherBrowser(services, { changes });
    const tab = await browser.open(site);
    const sent = front.recorded.length;
    if (silent === 'before the head') front.fault({ kind: 'hold', until: pause(SILENT) });
    else front.fault({ kind: 'live', pieces: slowAnswer([100, 100, SILENT, 100]) });
    const left = await askAndLeave(tab, [{ role: 'user', content: `Please describe a ship to me: ${name}.` }]);
    await until('the request arrives', () => front.recorded.length > sent);
    const end = settled(browser, left, 90);
    // Whoever awaits it later hears of a failure; until then it is nobody's.
    end.catch(() => undefined);
    running.set(name, { browser, life: await browser.life(), end, sent });
  }
});
afterAll(async () => {
  for (const { browser } of running.values()) await browser.close();
  await services?.dispose();
});

const came = async (name: keyof typeof CASES) => {
  const one = running.get(name) as Running;
  return { ...one, ...(await one.end), asked: one.life };
};

describe.each([
  'as built, before the head',
  'as built, between chunks',
  'only the page keeps the background awake',
  'only the background keeps itself awake',
] as const)('%s', (name) => {
  test('the answer arrives whole in the life in which it was asked', async () => {
    const { seen, life, asked } = await came(name);
    expect(seen).toMatchObject({ status: 200, error: null });
    expect(seen.body).toContain('[DONE]');
    expect(seen.took).toBeGreaterThan(SILENT);
    expect(life).toBe(asked);
  });
});

test('control: without keepalive the background dies in the silence before the head, and the page asks again natively', async () => {
  const { seen, life, asked, sent } = await came('nothing does, before the head');
  expect(seen).toMatchObject({ status: 200, error: null });
  expect(seen.took).toBeLessThan(SILENT);
  expect(services.front.recorded[sent]?.aborted).toBe(true);
  expect(life).not.toBe(asked);
});

test('control: without keepalive the background dies in the silence between chunks, and the page is told', async () => {
  const { seen, life, asked } = await came('nothing does, between chunks');
  expect(seen.error).toMatch(/^TypeError/);
  expect(seen.took).toBeLessThan(SILENT);
  expect(life).not.toBe(asked);
});
