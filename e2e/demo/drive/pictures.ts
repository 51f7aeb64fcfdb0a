/** Screenshots of what a person sees at the end of the conversation. */
import { join } from 'node:path';
import type { Stage } from './stage.ts';

/** page.png, popup.png and dashboard.png. */
export async function takePictures(stage: Stage, folder: string): Promise<void> {
  await stage.page.screenshot({ path: join(folder, 'page.png') });
  for (const [name, width, height] of [
    ['popup', 380, 900],
    ['dashboard', 1280, 860],
  ] as const) {
    const panel = await stage.browser.panel(`${name}/index.html?site=${encodeURIComponent(stage.demo.origin)}`);
    await panel.setViewportSize({ width, height });
    await panel.waitForLoadState('load');
    // Panels draw from what the background answers; a picture of the first frame would be empty.
    await panel.waitForFunction(() => (document.body.textContent ?? '').trim().length > 80);
    await panel.screenshot({ path: join(folder, `${name}.png`) });
    await panel.close();
  }
}
