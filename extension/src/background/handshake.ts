/**
 * The first frames on a socket: hello, challenge, proof, ready. The companion proves the key before we say anything but hello, so a
 * stranger on the port learns a name and two random numbers.
 */
import { parseCompanionFrame, renderFrame } from '@throughline/shared/protocol/codec';
import { PROTOCOL } from '@throughline/shared/protocol/frames';
import { handshakeWords } from '@throughline/shared/protocol/pairing';
import { fromHex, mac, macHolds, randomHex } from './crypto.ts';
import type { Pairing } from './pairing.ts';
import type { Socket } from './socket.ts';

export interface HandshakeInput {
  readonly socket: Socket;
  readonly pairing: Pairing;
  readonly port: number;
  readonly origin: string;
  readonly version: string;
  readonly store: string;
  readonly sessions: number;
}

export type Handshake =
  | { readonly ok: true; readonly scope: string; readonly version: string; readonly restore: number }
  | { readonly ok: false; readonly code: 'version-mismatch' | 'other-companion' | 'companion-off' };

const no = (code: 'version-mismatch' | 'other-companion' | 'companion-off'): Handshake => ({ ok: false, code });

/** Runs the handshake on an open socket. Nothing else may read from it meanwhile. */
export async function handshake(input: HandshakeInput): Promise<Handshake> {
  const { socket, pairing } = input;
  const key = fromHex(pairing.key);
  if (!key) return no('other-companion');
  const nonce = randomHex(16);
  socket.send(
    renderFrame({
      t: 'hello',
      proto: [PROTOCOL[0], PROTOCOL[1]],
      client: pairing.client,
      nonce,
      version: input.version,
      store: input.store,
      sessions: input.sessions,
    }),
  );
  const challenge = await nextFrame(socket);
  if (challenge?.t === 'refused') return no(challenge.code === 'protocol' ? 'version-mismatch' : 'other-companion');
  if (challenge?.t !== 'challenge') return no('companion-off');
  if (challenge.companionId !== pairing.companionId) return no('other-companion');
  if (challenge.proto < PROTOCOL[0] || challenge.proto > PROTOCOL[1]) return no('version-mismatch');
  const words = {
    proto: challenge.proto,
    client: pairing.client,
    clientNonce: nonce,
    companionId: challenge.companionId,
    companionNonce: challenge.nonce,
    origin: input.origin,
    port: input.port,
    store: input.store,
  };
  if (!(await macHolds(key, handshakeWords('s', words), challenge.mac))) return no('other-companion');
  socket.send(renderFrame({ t: 'proof', mac: await mac(key, handshakeWords('c', words)) }));
  const ready = await nextFrame(socket);
  if (ready?.t !== 'ready') return no('other-companion');
  return { ok: true, scope: ready.scope, version: ready.version, restore: ready.restore };
}

async function nextFrame(socket: Socket) {
  const message = await socket.next();
  if (typeof message !== 'string') return null;
  const parsed = parseCompanionFrame(message);
  return parsed.ok ? parsed.frame : null;
}
