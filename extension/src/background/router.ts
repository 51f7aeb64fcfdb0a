/**
 * Who may ask what. Panel verbs come from our own pages only; `pair` also from our script on a pairing page, and then only with the
 * link of that very page. Everything else is refused without a word about why.
 */

import type { PanelRequest, Reply } from '../panel-messages.ts';
import type { Handlers } from './panel/verbs.ts';
import { parseUrl } from './url.ts';

type Sender = chrome.runtime.MessageSender;

export interface Router {
  /** Null: not for us, the browser may ask other listeners. */
  handle(message: unknown, sender: Sender): Promise<Reply<unknown>> | null;
}

const PAIR_PAGE = /^http:\/\/127\.0\.0\.1:\d{1,5}\/pair(?:[?#]|$)/;

/** True for our own extension pages. */
export function isOwnPage(sender: Sender, extensionId: string, extensionOrigin: string): boolean {
  return sender.id === extensionId && (sender.url ?? '').startsWith(`${extensionOrigin}/`);
}

/** A pairing page may hand over its own link and nothing else. */
function isPairPage(sender: Sender, extensionId: string, message: { readonly verb: string; readonly link?: unknown }): boolean {
  if (sender.id !== extensionId || message.verb !== 'pair' || (sender.frameId ?? 0) !== 0) return false;
  const url = sender.url ?? '';
  if (!PAIR_PAGE.test(url) || typeof message.link !== 'string') return false;
  const [here, link] = [parseUrl(url), parseUrl(message.link)];
  return here !== null && link !== null && here.origin === link.origin && link.pathname === '/pair';
}

export function createRouter(handlers: Handlers, extensionId: string, extensionOrigin: string): Router {
  return {
    handle(message, sender) {
      if (!(message instanceof Object) || typeof (message as { verb?: unknown }).verb !== 'string') return null;
      const request = message as PanelRequest;
      if (!Object.hasOwn(handlers, request.verb)) return null;
      if (!isOwnPage(sender, extensionId, extensionOrigin) && !isPairPage(sender, extensionId, request)) {
        return Promise.resolve({ ok: false, code: 'refused', message: 'This page may not ask that.' });
      }
      const handler = handlers[request.verb] as (asked: PanelRequest) => Promise<Reply<unknown>>;
      return Promise.resolve()
        .then(() => handler(request))
        .catch(
          (): Reply<unknown> => ({
            ok: false,
            code: 'internal',
            message: 'Something went wrong and nothing was changed. Try again; if it stays, reload the extension.',
          }),
        );
    },
  };
}
