/**
 * From a pairing to a proven connection: find the port, open the socket, shake hands. Touches nothing but the network; what it finds
 * is used or closed by the link.
 */
import type { CompanionState } from '../panel-messages.ts';
import { discover } from './discovery.ts';
import { handshake } from './handshake.ts';
import type { LinkWorld } from './link.ts';
import type { Looking } from './looking.ts';
import type { Pairing } from './pairing.ts';
import { openSocket, type Socket } from './socket.ts';
import { within } from './within.ts';

const HANDSHAKE_MS = 3000;

export interface Reached {
  readonly socket: Socket;
  readonly port: number;
  readonly scope: string;
  readonly restore: number;
}

/** The connection, or what is in its way. */
export async function reach(pairing: Pairing, world: LinkWorld, looking: Looking): Promise<Reached | CompanionState> {
  looking.asking();
  const found = await discover(pairing, world.fetch);
  if (found.kind !== 'found') return found.kind;
  looking.found();
  const opening = openSocket(world.socket(`ws://127.0.0.1:${found.port}/socket`));
  const socket = await within(opening, HANDSHAKE_MS);
  if (!socket) {
    // One that opens after all belongs to nobody.
    void opening.then((late) => late?.close());
    return 'companion-off';
  }
  const store = await world.store();
  const result = await within(
    handshake({
      socket,
      pairing,
      port: found.port,
      origin: world.origin,
      version: world.version,
      store: store.id,
      sessions: store.sessions,
    }),
    HANDSHAKE_MS,
  );
  if (result?.ok) return { socket, port: found.port, scope: result.scope, restore: result.restore };
  socket.close();
  return result ? result.code : 'companion-off';
}
