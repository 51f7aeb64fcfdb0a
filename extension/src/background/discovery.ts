/**
 * Which port our companion listens on. Asks `/health` (no data, no proof) and believes only enough to choose a port: the handshake
 * decides. Only the paired companion's id counts.
 */

import { PROTOCOL } from '@throughline/shared/protocol/frames';
import { negotiate } from '@throughline/shared/protocol/pairing';
import type { Pairing } from './pairing.ts';

const PORTS = [4747, 4748, 4749, 4750, 4751];
const HEALTH_MS = 1000;

export type Found =
  | { readonly kind: 'found'; readonly port: number }
  | { readonly kind: 'companion-off' | 'port-taken' | 'other-companion' | 'version-mismatch' };

type Probe = Found['kind'];
type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The paired companion's port, or the most telling reason why it was not found. */
export async function discover(pairing: Pairing, fetch: Fetch): Promise<Found> {
  const stored = await probe(pairing.port, pairing, fetch);
  if (stored === 'found') return { kind: 'found', port: pairing.port };
  const others = PORTS.filter((port) => port !== pairing.port);
  const probes = await Promise.all(others.map((port) => probe(port, pairing, fetch)));
  const at = probes.indexOf('found');
  if (at >= 0) return { kind: 'found', port: others[at] as number };
  for (const kind of ['version-mismatch', 'other-companion'] as const) {
    if (stored === kind || probes.includes(kind)) return { kind };
  }
  // A foreign service matters only where our companion should be.
  return { kind: stored === 'port-taken' ? 'port-taken' : 'companion-off' };
}

async function probe(port: number, pairing: Pairing, fetch: Fetch): Promise<Probe> {
  let response: Response;
  try {
    response = await fetch(`http://127.0.0.1:${port}/health`, {
      credentials: 'omit',
      redirect: 'error',
      cache: 'no-store',
      signal: AbortSignal.timeout(HEALTH_MS),
    });
  } catch {
    // Refused or silent: nothing of ours is there.
    return 'companion-off';
  }
  return judge(await response.json().catch(() => null), pairing);
}

function judge(body: unknown, pairing: Pairing): Probe {
  if (!(body instanceof Object)) return 'port-taken';
  const { name, companionId, protocol } = body as Record<string, unknown>;
  if (name !== 'throughline' || typeof companionId !== 'string') return 'port-taken';
  if (companionId !== pairing.companionId) return 'other-companion';
  if (!Array.isArray(protocol) || !negotiate(PROTOCOL, [Number(protocol[0]), Number(protocol[1])])) return 'version-mismatch';
  return 'found';
}
