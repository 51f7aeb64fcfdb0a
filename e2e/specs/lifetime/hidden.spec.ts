/**
 * A hidden tab, whose timers the browser lets run once a minute only: the background carries the stream by itself. (The browser does
 * so after five minutes; a flag makes it ten seconds.)
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BareBrowser } from '../../fixtures/bare.ts';
import { anotherBrowser, askAndLeave, type Seen, settled, slowAnswer } from '../../fixtures/life.ts';
import { pause, until } from '../../fixtures/process.ts';
import type { Left, Tab } from '../../fixtures/tab.ts';
import { BACKGROUND_TIMER_OFF, type Change } from '../../fixtures/variant.ts';
import { type Services, startServices } from '../../fixtures/world.ts';

/** The browser throttles a repeated timer from its fifth time on. */
const TALKING = 110;
/** Longer than two of the page's rare turns are apart. */
const SILENT = 100_000;
const THROTTLED = ['--enable-features=IntensiveWakeUpThrottling:grace_period_seconds/10'];

interface Running {
  readonly browser: BareBrowser;
  readonly life: string | null;
  readonly tab: Tab;
  readonly left: Left<Seen>;
}

let services: Services;
const open: BareBrowser[] = [];

beforeAll(async () => {
  services = await startServices();
});
afterAll(async () => {
  for (const browser of open) await browser.close();
  await services?.dispose();
});

/** A page that asked and went behind another tab; it notes when its own timer of a second runs. */
async function hidden(changes: readonly Change[]): Promise<Running> {
  const browser = await anotherBrowser(services, { changes, args: THROTTLED });
  open.push(browser);
  const tab = await browser.open(services.site);
  await tab.evaluate(() => {
    const ticks: number[] = [];
    Object.assign(globalThis, { ticks });
    setInterval(() => ticks.push(performance.now()), 1_000);
  });
  const front = await (await browser.open()).attach();
  await front.send('Page.bringToFront');
  front.close();
  await pause(15_000);
  const sent = services.front.recorded.length;
  services.front.fault({ kind: 'live', pieces: slowAnswer([...Array.from({ length: TALKING }, () => 1_000), SILENT, 100]) });
  const left = await askAndLeave(tab, [{ role: 'user', content: `Please describe hidden ship ${open.length} to me.` }]);
  await until('the request arrives', () => services.front.recorded.length > sent);
  return { browser, tab, left, life: await browser.life() };
}

test('a long silence in a hidden tab: the answer arrives whole; without the timer of the background it does not', async () => {
  const [ours, control] = [await hidden([]), await hidden([BACKGROUND_TIMER_OFF])];
  const { seen: lost } = await settled(control.browser, control.left, 300);
  const { seen, life } = await settled(ours.browser, ours.left, 300);
  const [state, ticks] = await ours.tab.evaluate(() => {
    const { ticks } = globalThis as unknown as { ticks: number[] };
    return [document.visibilityState, ticks.slice(-3)] as const;
  });
  expect(state).toBe('hidden');
  expect((ticks[2] as number) - (ticks[0] as number), 'the tab is throttled').toBeGreaterThan(50_000);
  expect(lost.error).toMatch(/^TypeError/);
  expect(lost.took).toBeLessThan(TALKING * 1_000 + SILENT);
  expect(seen).toMatchObject({ status: 200, error: null });
  expect(seen.body).toContain('[DONE]');
  expect(life).toBe(ours.life);
});
