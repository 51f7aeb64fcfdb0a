/** Screenshots of what a person sees at the end of the conversation. */
import { join } from 'node:path';
import { type Stage, snapshot } from './stage.ts';

/** page.png, popup.png and dashboard.png. */
export async function takePictures(stage: Stage, folder: string): Promise<void> {
  await stage.page.screenshot({ path: join(folder, 'page.png') });
  const session = (await snapshot(stage)).session?.session ?? '';
  const panels = [
    { name: 'popup', path: `popup/index.html?site=${encodeURIComponent(stage.demo.origin)}`, width: 380, height: 760 },
    { name: 'dashboard', path: `dashboard/index.html#/session/${session}/blocks`, width: 1280, height: 860 },
  ];
  for (const { name, path, width, height } of panels) {
    const panel = await stage.browser.panel(path);
    await panel.setViewportSize({ width, height });
    // Panels draw from what the background answers; a picture of the first frame would be empty. Every panel names the blocks.
    await panel
      .getByText('b1', { exact: false })
      .or(panel.getByText('b2', { exact: true }))
      .first()
      .waitFor();
    await panel.screenshot({ path: join(folder, `${name}.png`) });
    await panel.close();
  }
}
