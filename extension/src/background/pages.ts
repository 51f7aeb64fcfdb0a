/**
 * Ports of content scripts. A page can open a request, read its answer and abort it: nothing else.
 *
 * Who the page is comes from the browser (`port.sender`), never from a message. A page whose site is not enabled is told to detach.
 */

import type { SessionId } from '@throughline/shared/base/brand';
import type { BackgroundToContent, NativeDone } from '../messages.ts';
import { createAnswer } from './answer.ts';
import { parsePageMessage } from './page-message.ts';
import type { Recall } from './recall.ts';
import { type Steering, type TurnWorld, takeTurn } from './turns.ts';
import { parseUrl } from './url.ts';

/** What is used of `chrome.runtime.Port`. */
export interface PagePort {
  readonly sender?: chrome.runtime.MessageSender | undefined;
  readonly onMessage: { addListener(listen: (message: unknown) => void): void };
  readonly onDisconnect: { addListener(listen: () => void): void };
  postMessage(message: unknown): void;
  disconnect(): void;
}

export interface PagesWorld {
  readonly extensionId: string;
  /** Whether ports of this browser carry bytes. */
  readonly bytes: boolean;
  readonly turns: TurnWorld;
  readonly recall: Recall;
  readonly enabled: (origin: string) => Promise<boolean>;
  readonly noteBypass: (site: string, upstream: string) => Promise<void>;
  readonly doubleBilled: (session: SessionId) => void;
  /** The number of open pages of enabled sites changed. */
  readonly onPages: (count: number) => void;
}

/** The origin the browser vouches for: of the frame, or of what made it when it has no address of its own. */
export function senderOrigin(sender: chrome.runtime.MessageSender | undefined): string | null {
  const claimed = sender?.origin && sender.origin !== 'null' ? sender.origin : sender?.url;
  const url = claimed ? parseUrl(claimed) : null;
  return url && /^https?:$/.test(url.protocol) ? url.origin : null;
}

interface Running {
  readonly drop: () => void;
  steering: Steering | null;
  aborted: boolean;
}

/** Serves page ports; returns the listener for a port named `page`. */
export function createPages(world: PagesWorld): (port: PagePort) => void {
  let pages = 0;
  return (port) => {
    const { sender } = port;
    const site = senderOrigin(sender);
    if (!site || sender?.id !== world.extensionId) {
      port.disconnect();
      return;
    }
    pages += 1;
    world.onPages(pages);
    const tab = sender.tab?.id ?? null;
    const place = `${tab}:${sender.frameId ?? 0}`;
    const running = new Map<number, Running>();
    /** Requests that went native because of a 401, 403 or 407: what they come to teaches us. */
    const retried = new Map<number, string>();
    let open = true;

    const post = (message: BackgroundToContent) => {
      if (!open) return;
      try {
        port.postMessage(message);
      } catch {
        // The port closed a moment ago; its disconnect event ends the requests.
        open = false;
      }
    };

    void world.enabled(site).then((enabled) => {
      if (!enabled) post({ t: 'detach' });
    });

    const start = async (message: Extract<ReturnType<typeof parsePageMessage>, { t: 'open' }>) => {
      const key = `${place}:${message.id}`;
      let dispatched = false;
      const answer = createAnswer(message.id, {
        bytes: world.bytes,
        post(said) {
          if (said.t === 'dispatched') dispatched = true;
          post(said);
        },
        onSettled(native) {
          running.delete(message.id);
          if (dispatched) world.recall.settled(key);
          if (native === null || native.startsWith('side:')) return;
          if (native === 'auth-retry') retried.set(message.id, parseUrl(message.request.url)?.origin ?? '');
          world.recall.bypassed(site, tab, { at: world.turns.now(), code: native, url: message.request.url });
          world.turns.changed();
        },
      });
      const run: Running = { drop: answer.drop, steering: null, aborted: false };
      running.set(message.id, run);
      if (!message.body) return answer.native('internal');
      const { document, conversation, request, body } = message;
      run.steering = await takeTurn({ site, tab, document, conversation, request, body, key }, answer, world.turns);
      if (run.aborted) run.steering?.abort();
    };

    const abort = (run: Running) => {
      run.aborted = true;
      if (run.steering) run.steering.abort();
      else run.drop();
    };

    const nativeDone = async ({ id, code, ok }: NativeDone) => {
      const upstream = retried.get(id);
      retried.delete(id);
      if (upstream && ok) await world.noteBypass(site, upstream);
      // Resent by the content script itself, after an earlier life of this background was killed: nobody counted it.
      const orphan = code === 'resent' ? await world.recall.orphan(`${place}:${id}`) : null;
      if (orphan) world.doubleBilled(orphan);
      world.turns.changed();
    };

    port.onMessage.addListener((value) => {
      const message = parsePageMessage(value);
      if (message?.t === 'open') {
        if (running.has(message.id)) return;
        void start(message);
      } else if (message?.t === 'broken') post({ t: 'native', id: message.id, code: 'internal' });
      else if (message?.t === 'credit') running.get(message.id)?.steering?.credit(message.bytes);
      else if (message?.t === 'native-done') void nativeDone(message).catch(() => undefined);
      else if (message?.t === 'abort') {
        const run = running.get(message.id);
        if (run) abort(run);
      } else if (message?.t === 'passed') {
        world.recall.bypassed(site, tab, { at: world.turns.now(), code: message.code, url: message.url });
        world.turns.changed();
      }
      // `alive` needs no answer: that it arrived keeps the background awake.
    });
    port.onDisconnect.addListener(() => {
      open = false;
      pages -= 1;
      world.onPages(pages);
      for (const run of [...running.values()]) abort(run);
    });
  };
}
