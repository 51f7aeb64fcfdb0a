/**
 * The page's end of the private channel to the content script, and the list of exchanges that are under way on it.
 *
 * The channel is handed over in one window message that the content script swallows before the page's listeners run. The page can
 * forge it: that gives it nothing it does not have, for all it can say is "open" and "abort". Failure direction: a bridge that
 * nobody answers is dead, and everything pending on it goes native.
 */
import type { ContentToPage, PageToContent } from '../messages.ts';
import type { Exchange } from './exchange.ts';

/** How long a content script may take to say that it has a request, twice: the second half lets a blocked page catch up. */
const SILENCE_MS = 120;

export interface Bridge {
  /** Hands the request over. The exchange hears everything that comes back for its id, until either side has ended it. */
  open(exchange: Exchange, message: PageToContent & { t: 'open' }): void;
  send(message: PageToContent): void;
  nextId(): number;
}

/** Opens the channel. `onDead` is called once, when the content script detaches or does not answer. */
export function createBridge(scope: Window, version: string, onDead: () => void): Bridge {
  const { port1, port2 } = new MessageChannel();
  const exchanges = new Map<number, Exchange>();
  const delay = scope.setTimeout.bind(scope);
  let dead = false;
  let ids = 0;

  /** `all` or only what the content script does not have goes native. */
  function die(all: boolean): void {
    if (!dead) onDead();
    dead = true;
    for (const exchange of exchanges.values()) if (all || !exchange.taken) exchange.leave('detached');
  }
  // Where the browser tells: the other end was destroyed, so no answer that is under way will ever end.
  port1.addEventListener('close', () => {
    die(true);
    for (const { id, receive } of exchanges.values()) receive({ t: 'error', id, message: 'gone' });
  });
  port1.onmessage = (event: MessageEvent<ContentToPage>) => {
    const message = event.data;
    // What the content script has, it still answers: that may be at the provider already.
    if (message.t === 'detach') die(false);
    else {
      exchanges.get(message.id)?.receive(message);
      if (/native|end|error/.test(message.t)) exchanges.delete(message.id);
    }
  };
  // "/" is the window's own origin, also where location.origin is "null".
  scope.postMessage({ throughline: version }, '/', [port2]);

  return {
    open(exchange, message) {
      if (dead) return exchange.leave('detached');
      exchanges.set(exchange.id, exchange);
      port1.postMessage(message, [message.body]);
      const silent = () => exchange.state === 'pending' && !exchange.taken;
      delay(() => silent() && delay(() => silent() && die(true), SILENCE_MS), SILENCE_MS);
    },
    send(message) {
      if (message.t === 'abort') exchanges.delete(message.id);
      port1.postMessage(message);
    },
    nextId: () => ++ids,
  };
}
