/**
 * The build that people get, and Firefox's own question: a site is heard only after a "yes" to it, for that site only, and not any
 * more once the permission is taken back.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Conversation } from '../../fixtures/chat.ts';
import { type FirefoxBrowser, type FirefoxTab, startFirefox } from '../../fixtures/firefox.ts';
import { press } from '../../fixtures/firefox-hands.ts';
import { firefoxFor } from '../../fixtures/firefox-world.ts';
import type { Recorded } from '../../fixtures/front.ts';
import { wentThroughUs } from '../../fixtures/life.ts';
import { until } from '../../fixtures/process.ts';
import { type Services, startServices } from '../../fixtures/world.ts';

/** The browser's question, with the button a person would press; without one, whether it is open. */
const question = (press: 'button' | 'secondaryButton' | null) => `(() => {
  const asked = document.getElementById('addon-webext-permissions-notification');
  if (!asked || PopupNotifications.panel.state !== 'open') return null;
  ${press === null ? '' : `asked.${press}.click();`}
  return asked.textContent || 'asked';
})()`;

let services: Services;
let browser: FirefoxBrowser;
beforeAll(async () => {
  services = await startServices();
  // Firefox waits before it takes an answer, so that nobody answers what they have not read.
  const prefs = { 'security.notification_enable_delay': 0 };
  browser = await startFirefox({ ...firefoxFor(services), build: 'firefox', prefs });
  await browser.pair(await services.companion.pairLink());
});
afterAll(async () => {
  await browser?.close();
  await services?.dispose();
});

/** Presses the popup's big switch with the mouse: only a real click may ask. */
async function pressSwitch(site: string): Promise<FirefoxTab> {
  const popup = await browser.panel(`popup/index.html?site=${encodeURIComponent(site)}`);
  await press(browser, popup, '[role=switch]');
  await until('the browser asks', () => browser.inBrowser(question(null)));
  return popup;
}

const isOn = (popup: FirefoxTab) =>
  popup.evaluate(() => document.querySelector('[role=switch]')?.getAttribute('aria-checked') === 'true');

/** One message from a fresh page of the site; whether it was heard. */
async function heard(site: string, text: string): Promise<boolean> {
  const page = await browser.open(site);
  expect(await new Conversation(page).say(text)).toMatchObject({ ok: true, error: null });
  await page.close();
  return wentThroughUs(services.front.recorded.at(-1) as Recorded);
}

test('a "no" leaves the site off, and nothing of ours runs there', async () => {
  const popup = await pressSwitch(services.site);
  await browser.inBrowser(question('secondaryButton'));
  await until('the question is gone', async () => (await browser.inBrowser(question(null))) === null);
  expect(await isOn(popup)).toBe(false);
  expect(await heard(services.site, 'Is anybody listening?')).toBe(false);
  await popup.close();
});

test('a "yes" switches on that site and no other; taken back, nothing runs there any more', async () => {
  const popup = await pressSwitch(services.site);
  await browser.inBrowser(question('button'));
  await until('the switch is on', () => isOn(popup));
  await until('the site is heard', () => heard(services.site, 'Please describe a skiff to me.'));
  const other = services.front.origin('other.test');
  expect(await heard(other, 'And who listens here?')).toBe(false);

  const origins = [`https://${new URL(services.site).hostname}/*`];
  const removed = await popup.evaluate(
    (asked: string[]) =>
      (
        globalThis as unknown as { browser: { permissions: { remove(o: unknown): Promise<boolean> } } }
      ).browser.permissions.remove({ origins: asked }),
    origins,
  );
  expect(removed).toBe(true);
  await until('the site is off', async () => !(await heard(services.site, 'Is anybody still listening?')));
  const asked = { verb: 'snapshot', site: services.site, tab: null };
  expect((await browser.ask<{ siteState: string }>(asked)).siteState).toBe('permission-missing');
  await until('the popup says so', async () => /took back the access/.test(await popup.text()));
  await popup.close();
});
