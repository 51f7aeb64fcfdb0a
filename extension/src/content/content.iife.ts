/**
 * The content script: one relay per frame, between the page script's private channel and the background.
 *
 * Invariant: one living instance per frame, however often it is injected. Failure direction: an orphan (the extension was updated,
 * disabled or removed) steps aside and makes every page script un-patch.
 */
import { api, contextAlive, portsCarryBytes } from '../platform.ts';
import { conversationIn } from './conversation.ts';
import { createRelay } from './relay.ts';

interface Instance {
  alive(): boolean;
  leave(): void;
}

const MARK = Symbol.for('throughline.content');
const scope = globalThis as typeof globalThis & { [MARK]?: Instance };

if (!scope[MARK]?.alive()) {
  scope[MARK]?.leave();
  scope[MARK] = start();
}

function start(): Instance {
  let left = false;
  const alive = () => !left && contextAlive();
  const relay = createRelay({
    connect() {
      const port = api.runtime.connect({ name: 'page' });
      return {
        postMessage: (message) => port.postMessage(message),
        onMessage: (listener) => port.onMessage.addListener(listener),
        onDisconnect: (listener) => port.onDisconnect.addListener(listener),
      };
    },
    alive: contextAlive,
    carriesBytes: portsCarryBytes,
    document: [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join(''),
    origin: scope.origin,
    conversation: () => conversationIn(location.href),
    onOrphan: leave,
    every(ms, run) {
      const timer = setInterval(run, ms);
      return () => clearInterval(timer);
    },
  });

  /** A page script of this window hands over its channel. Swallowed, so that the page's own listeners see nothing. */
  function onHello(event: MessageEvent): void {
    if (event.source !== window || typeof event.data?.throughline !== 'string') return;
    // An orphan lets the message pass to the living instance behind it.
    const [port] = event.ports;
    if (!alive()) leave();
    else if (port) {
      event.stopImmediatePropagation();
      relay.addPage(port);
    }
  }

  function onOrder(message: { t?: unknown; origin?: unknown }): void {
    if (message?.t !== 'detach' || (message.origin !== null && message.origin !== scope.origin)) return;
    relay.detach();
    leave();
  }

  function onShow({ persisted }: PageTransitionEvent): void {
    if (persisted) relay.thawed();
  }

  function leave(): void {
    left = true;
    emptied.disconnect();
    window.removeEventListener('message', onHello, true);
    try {
      api.runtime.onMessage.removeListener(onOrder);
    } catch {
      // An orphan has no runtime to unsubscribe from.
    }
    relay.detach();
  }

  // `document.open` takes every listener off the window, and empties the document; a page may do so before the page script was heard.
  const listen = () => {
    if (left) return;
    window.addEventListener('message', onHello, true);
    // Never removed: one that left still answers what it has.
    window.addEventListener('pageshow', onShow, true);
  };
  const emptied = new MutationObserver(listen);
  emptied.observe(document, { childList: true });
  listen();
  api.runtime.onMessage.addListener(onOrder);
  return { alive, leave };
}
