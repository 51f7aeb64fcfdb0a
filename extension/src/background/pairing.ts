/**
 * Pairing: a one-time link becomes a key that both sides hold. The link's secret authenticates one key exchange and is worth nothing
 * afterwards; the key never leaves extension storage.
 *
 * Invariant: nothing is stored before the answer is proven, and a pairing that exists is never replaced by another companion's: any
 * program of this machine can show a pairing page, so that takes the person's own Unpair first.
 */

import { PAIR_INFO, pairAnswerWords, pairClaimWords } from '@throughline/shared/protocol/pairing';
import type { Box } from './box.ts';
import { ephemeral, fromHex, mac, macHolds, randomHex, toHex } from './crypto.ts';
import { parseUrl } from './url.ts';

export interface Pairing {
  readonly client: string;
  readonly companionId: string;
  readonly port: number;
  /** 32 bytes, hex. */
  readonly key: string;
  /** Learned at the first connection. */
  readonly scope: string | null;
}

export interface PairLink {
  readonly port: number;
  readonly secret: Uint8Array;
  /** A loopback origin to switch on, or null. */
  readonly site: string | null;
}

export type PairResult =
  | { readonly ok: true; readonly pairing: Pairing; readonly site: string | null }
  | { readonly ok: false; readonly code: string; readonly message: string };

export interface PairWorld {
  readonly pairings: Box<Pairing>;
  /** Kept for good, so that pairing again finds the same scope. */
  readonly clientName: Box<string>;
  /** `chrome-extension://…`, without a slash. */
  readonly origin: string;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Port on which the paired companion has proven itself and is connected right now. */
  readonly connectedPort: () => number | null;
}

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** The parts of a pairing link, or null when it is none. Only 127.0.0.1 counts. */
export function parsePairLink(text: string): PairLink | null {
  const url = parseUrl(text.trim());
  if (url?.protocol !== 'http:' || url.hostname !== '127.0.0.1' || url.pathname !== '/pair') return null;
  const words = new URLSearchParams(url.hash.slice(1));
  const secret = fromHex(words.get('k') ?? '');
  const port = Number(url.port);
  if (secret?.length !== 16 || port < 1) return null;
  const asked = parseUrl(words.get('site') ?? '');
  const site = asked && /^https?:$/.test(asked.protocol) && LOOPBACK.has(asked.hostname) ? asked.origin : null;
  return { port, secret, site };
}

const refusal = (code: string, message: string): PairResult => ({ ok: false, code, message });

/** Claims the pairing that the link offers, and keeps the key. */
export async function pair(text: string, world: PairWorld): Promise<PairResult> {
  const link = parsePairLink(text);
  if (!link) return refusal('bad-link', 'This is no pairing link. Run "throughline pair" and paste the link it prints.');
  const client = (await world.clientName.get()) ?? `browser-${randomHex(4)}`;
  const exchange = await ephemeral();
  const claim = { client, origin: world.origin, publicKey: exchange.publicKey };
  const answer = await post(link, claim, world);
  if (!answer)
    return refusal('pair-refused', 'The companion did not accept this link. Links work once, for two minutes: get a new one.');
  const words = pairAnswerWords(claim, answer.companionId, answer.publicKey, link.port);
  if (!(await macHolds(link.secret, words, answer.mac)))
    return refusal('pair-forged', 'What answered does not know the link. Check which program uses this port.');
  const key = await exchange.derive(answer.publicKey, link.secret, PAIR_INFO);
  if (!key) return refusal('pair-forged', 'The companion sent no usable key. Get a new link.');
  const [kept, at] = [await world.pairings.get(), world.connectedPort()];
  // The id alone is no proof, /health tells it to anyone: while our companion is connected, only its own port can be it.
  if (kept && (kept.companionId !== answer.companionId || (at !== null && at !== link.port)))
    return refusal(
      'already-paired',
      'This browser is already paired. To pair with another companion, first press Unpair in the Throughline dashboard, under Health.',
    );
  await world.clientName.set(client);
  const pairing: Pairing = { client, companionId: answer.companionId, port: link.port, key: toHex(key), scope: null };
  await world.pairings.set(pairing);
  return { ok: true, pairing, site: link.site };
}

interface PairAnswer {
  readonly companionId: string;
  readonly publicKey: string;
  readonly mac: string;
}

async function post(
  link: PairLink,
  claim: { readonly client: string; readonly origin: string; readonly publicKey: string },
  world: PairWorld,
): Promise<PairAnswer | null> {
  try {
    const response = await world.fetch(`http://127.0.0.1:${link.port}/pair`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        v: 1,
        client: claim.client,
        publicKey: claim.publicKey,
        mac: await mac(link.secret, pairClaimWords(claim, link.port)),
      }),
      credentials: 'omit',
      redirect: 'error',
    });
    if (!response.ok) return null;
    const body: unknown = await response.json();
    if (!(body instanceof Object)) return null;
    const { companionId, publicKey, mac: proof } = body as Record<string, unknown>;
    if (typeof companionId !== 'string' || typeof publicKey !== 'string' || typeof proof !== 'string') return null;
    return { companionId, publicKey, mac: proof };
  } catch {
    // Nothing listens there, or it answered nonsense: the same sentence for the person.
    return null;
  }
}
