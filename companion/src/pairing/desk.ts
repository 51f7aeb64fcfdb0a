/**
 * The pairing desk: turns a proven claim into a pairing.
 *
 * Bound to the first extension that proves the secret; a second claimant of the same secret cancels both, because one of the two
 * is not the person's browser and nobody here can tell which. Fails closed: every doubt is a null.
 */
import { createECDH, hkdfSync } from 'node:crypto';
import { PAIR_INFO, type PairClaim, pairAnswerWords, pairClaimWords } from '@throughline/shared/protocol/pairing';
import * as v from 'valibot';
import { isExtensionOrigin } from '../guard.ts';
import { hmacHex, sameSecret } from '../hash.ts';
import type { Log } from '../log.ts';
import type { Pairings } from './pairings.ts';
import type { Pending, Secrets } from './secrets.ts';

const claimBody = v.object({
  v: v.literal(1),
  client: v.pipe(v.string(), v.regex(/^[A-Za-z0-9._:-]{8,128}$/)),
  publicKey: v.pipe(v.string(), v.regex(/^04[0-9a-f]{128}$/)),
  mac: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
});

interface PairAnswer {
  readonly companionId: string;
  readonly publicKey: string;
  readonly mac: string;
}

export interface PairingDesk {
  /** The answer for a claim that proved a live, unused secret; null for anything else. */
  claim(body: unknown, origin: string, port: number): PairAnswer | null;
}

export interface DeskDeps {
  readonly companionId: string;
  readonly secrets: Secrets;
  readonly pairings: Pairings;
  readonly log: Log;
  readonly now: () => number;
  /** A pairing ended or was replaced: its connections must close. */
  readonly dropClient: (client: string) => void;
}

export function createDesk(deps: DeskDeps): PairingDesk {
  return {
    claim(body, origin, port) {
      const parsed = v.safeParse(claimBody, body);
      if (!parsed.success || !isExtensionOrigin(origin)) return null;
      const claim: PairClaim = { client: parsed.output.client, origin, publicKey: parsed.output.publicKey };
      const proven = deps.secrets
        .live()
        .find((one) => sameSecret(hmacHex(Buffer.from(one.secret, 'hex'), pairClaimWords(claim, port)), parsed.output.mac));
      if (proven === undefined) {
        deps.log.warn('pair-refused', { reason: 'no-such-secret' });
        return null;
      }
      if (proven.claimedBy !== null) return secondClaim(deps, proven, claim);
      return accept(deps, proven, claim, port);
    },
  };
}

function secondClaim(deps: DeskDeps, used: Pending, claim: PairClaim): null {
  const first = used.claimedBy;
  if (first === null || (first.client === claim.client && first.origin === claim.origin)) {
    deps.log.warn('pair-refused', { reason: 'secret-used' });
    return null;
  }
  deps.pairings.revoke(first.client);
  deps.dropClient(first.client);
  deps.log.error('pair-cancelled', { reason: 'second-claimant' });
  return null;
}

function accept(deps: DeskDeps, pending: Pending, claim: PairClaim, port: number): PairAnswer | null {
  const ours = createECDH('prime256v1');
  const publicKey = ours.generateKeys('hex', 'uncompressed');
  const secretBytes = Buffer.from(pending.secret, 'hex');
  let shared: Buffer;
  try {
    shared = ours.computeSecret(Buffer.from(claim.publicKey, 'hex'));
  } catch {
    // Not a point of the curve: refused before the secret is spent.
    return null;
  }
  const key = Buffer.from(hkdfSync('sha256', shared, secretBytes, PAIR_INFO, 32)).toString('hex');
  deps.secrets.spend(pending, { client: claim.client, origin: claim.origin });
  deps.pairings.add({ client: claim.client, origin: claim.origin, key, at: deps.now() });
  deps.dropClient(claim.client);
  deps.log.info('paired', { origin: claim.origin });
  const mac = hmacHex(secretBytes, pairAnswerWords(claim, deps.companionId, publicKey, port));
  return { companionId: deps.companionId, publicKey, mac };
}
