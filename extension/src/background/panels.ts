/**
 * Open panels: each gets one word when something it shows changed, at most ten times a second, and asks again by itself.
 */
import type { PanelChanged } from '../panel-messages.ts';
import type { PagePort } from './pages.ts';

const EVERY_MS = 100;

export interface Panels {
  add(port: PagePort): void;
  tell(): void;
  count(): number;
}

export function createPanels(): Panels {
  const ports = new Set<PagePort>();
  let timer: ReturnType<typeof setTimeout> | null = null;
  const say = () => {
    for (const port of [...ports]) {
      try {
        port.postMessage({ t: 'changed' } satisfies PanelChanged);
      } catch {
        // Closed a moment ago.
        ports.delete(port);
      }
    }
  };
  return {
    add(port) {
      ports.add(port);
      port.onDisconnect.addListener(() => ports.delete(port));
    },
    tell() {
      if (timer !== null || ports.size === 0) return;
      timer = setTimeout(() => {
        timer = null;
        say();
      }, EVERY_MS);
    },
    count: () => ports.size,
  };
}
