/**
 * The five questions, answered from what the popup shows at once; and nobody is shut out of it.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Conversation } from '../fixtures/chat.ts';
import { pause, ROOT, until } from '../fixtures/process.ts';
import { startWorld, type World } from '../fixtures/world.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SHOTS = join(ROOT, 'demo-output');

let world: World;
let chat: Conversation;
beforeAll(async () => {
  mkdirSync(SHOTS, { recursive: true });
  world = await startWorld({ window: 4_000 });
  chat = new Conversation(await world.open(), {}, 'You are attentive.');
  await chat.say('Please help me plan the move of our small library to the new building.');
  for (let turn = 0; turn < 16; turn++) {
    await chat.say(`Shelf ${turn}: ${`it holds forty atlases and a box of maps that need care, see list ${turn}. `.repeat(7)}`);
    await pause(60);
  }
  await until('a block is folded', async () => {
    const { session } = await world.browser.ask<{ session: { blockList: { state: string }[] } }>({
      verb: 'snapshot',
      site: world.site,
      tab: null,
    });
    return session.blockList.some((block) => block.state === 'folded');
  });
  await chat.say('How many shelves are there?');
});
afterAll(() => world?.dispose());

const popup = async (): Promise<Page> => {
  const page = await world.browser.panel(`popup/index.html?site=${encodeURIComponent(world.site)}`);
  await page.setViewportSize({ width: 380, height: 600 });
  await page.waitForFunction(() => document.body.innerText.includes('library'));
  return page;
};

async function violations(page: Page): Promise<string[]> {
  // Through the debugger: the page's own policy lets no script in.
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const axe = (window as unknown as { axe?: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> } })
      .axe;
    if (!axe) return ['axe did not load'];
    return (await axe.run()).violations.map((one) => `${one.id}: ${one.nodes[0]?.html}`);
  });
}

test('the popup answers the five questions without a click', async () => {
  const page = await popup();
  const seen = await page.evaluate(() => {
    const { bottom } = document.documentElement.getBoundingClientRect();
    return { text: document.body.innerText, bottom };
  });
  await page.screenshot({ path: join(SHOTS, 'popup-folded.png') });
  expect(seen.text).toMatch(/connected/i);
  expect(seen.text).toContain('Please help me plan the move of our small library');
  expect(seen.text).toMatch(/matched \d+ of \d+/i);
  expect(seen.text).toMatch(/b1/);
  expect(seen.text).toMatch(/originals/i);
  expect(seen.text).toMatch(/saved/i);
  await page.close();
});

test.each(['light', 'dark'] as const)('popup and dashboard have no accessibility violation (%s)', async (scheme) => {
  const page = await popup();
  await page.emulateMedia({ colorScheme: scheme });
  expect(await violations(page)).toEqual([]);
  await page.screenshot({ path: join(SHOTS, `popup-${scheme}.png`) });
  await page.close();
  const dashboard = await world.browser.panel('dashboard/index.html');
  await dashboard.emulateMedia({ colorScheme: scheme });
  await dashboard.waitForFunction(() => document.body.innerText.includes('library'));
  expect(await violations(dashboard)).toEqual([]);
  await dashboard.screenshot({ path: join(SHOTS, `dashboard-${scheme}.png`) });
  await dashboard.close();
});

test('a conversation with markup in it is shown as text', async () => {
  const page = await world.open();
  const evil = new Conversation(page);
  await evil.say('<img src=x onerror="window.pwned=1"><script>window.pwned=1</script> What is this, please?');
  const shown = await world.browser.panel(`popup/index.html?site=${encodeURIComponent(world.site)}`);
  await shown.waitForFunction(() => document.body.innerText.includes('onerror'));
  expect(await shown.evaluate(() => (window as unknown as { pwned?: number }).pwned)).toBeUndefined();
  await shown.close();
  await page.close();
});
