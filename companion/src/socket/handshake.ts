/**
 * The mutual handshake of one connection, as a state machine without a socket: hello -> challenge -> proof -> ready.
 *
 * The companion proves the pairing key first, so the extension can refuse a stranger before it says anything of value. There is
 * no lock after failures: a 256-bit key cannot be guessed, and a lock would let any local process shut the owner out.
 */

import { parseExtensionFrame } from '@throughline/shared/protocol/codec';
import { type CompanionToExtension, PROTOCOL } from '@throughline/shared/protocol/frames';
import { type HandshakeWords, handshakeWords, negotiate } from '@throughline/shared/protocol/pairing';
import { hmacHex, randomHex, sameSecret } from '../hash.ts';
import type { Pairing, Pairings } from '../pairing/pairings.ts';

/** Largest frame before the proof. */
export const MAX_UNPROVEN_FRAME = 4096;

export interface Proven {
  readonly pairing: Pairing;
  readonly store: string;
  /** Sessions the extension said its store holds. */
  readonly sessions: number;
}

type Step =
  | { readonly next: 'reply'; readonly frame: CompanionToExtension }
  | { readonly next: 'proven'; readonly proven: Proven }
  /** Tell (when there is something to tell) and close. */
  | { readonly next: 'close'; readonly frame: CompanionToExtension | null };

export interface Handshake {
  onText(text: string): Step;
}

export interface HandshakeDeps {
  readonly pairings: Pairings;
  readonly companionId: string;
  readonly port: number;
  readonly origin: string;
}

const close = (code: string, message: string): Step => ({ next: 'close', frame: { t: 'refused', code, message } });

export function startHandshake(deps: HandshakeDeps): Handshake {
  let said: { words: HandshakeWords; pairing: Pairing; sessions: number } | null = null;

  const onHello = (text: string): Step => {
    const parsed = parseExtensionFrame(text);
    if (!parsed.ok || parsed.frame.t !== 'hello') return close('bad-hello', 'The first frame must be hello.');
    const hello = parsed.frame;
    const proto = negotiate(PROTOCOL, hello.proto);
    if (proto === null) {
      return close('protocol', `This companion speaks protocol ${PROTOCOL[0]} to ${PROTOCOL[1]}. Update the older side.`);
    }
    const pairing = deps.pairings.find(hello.client);
    if (pairing === null || pairing.origin !== deps.origin || !/^[0-9a-f]{32}$/.test(hello.nonce)) {
      return close('not-paired', 'This browser is not paired with this companion. Run "throughline pair".');
    }
    const words: HandshakeWords = {
      proto,
      client: hello.client,
      clientNonce: hello.nonce,
      companionId: deps.companionId,
      companionNonce: randomHex(16),
      origin: deps.origin,
      port: deps.port,
      store: hello.store,
    };
    said = { words, pairing, sessions: hello.sessions };
    const mac = hmacHex(Buffer.from(pairing.key, 'hex'), handshakeWords('s', words));
    return { next: 'reply', frame: { t: 'challenge', proto, companionId: deps.companionId, nonce: words.companionNonce, mac } };
  };

  const onProof = (text: string, { words, pairing, sessions }: NonNullable<typeof said>): Step => {
    const parsed = parseExtensionFrame(text);
    if (!parsed.ok || parsed.frame.t !== 'proof') return { next: 'close', frame: null };
    const expected = hmacHex(Buffer.from(pairing.key, 'hex'), handshakeWords('c', words));
    if (!sameSecret(expected, parsed.frame.mac)) return { next: 'close', frame: null };
    return { next: 'proven', proven: { pairing, store: words.store, sessions } };
  };

  return {
    onText(text) {
      if (text.length > MAX_UNPROVEN_FRAME) return { next: 'close', frame: null };
      return said === null ? onHello(text) : onProof(text, said);
    },
  };
}
