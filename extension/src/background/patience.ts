/**
 * How long a request may be kept before its own page sends it: every step before `turn.dispatched` ends in one of these.
 *
 * Own steps (settings, store, lane, identity) get `own`. A request that was handed over gets `handed` for a companion that answers
 * at once, then the companion is asked whether it is there at all (`probe`); one that is may still be connecting to the provider,
 * and gets `connect` for that. Nothing answers: 4 s at most. A large body gets more time in every step.
 */
export interface Patience {
  readonly own: number;
  readonly handed: number;
  readonly probe: number;
  /** Longer than the companion itself waits for a connection to the provider: its reason is the better one. */
  readonly connect: number;
  /** After this long without a sign of life a connection that should be alive is given up. */
  readonly silent: number;
}

export const PATIENCE: Patience = { own: 1_500, handed: 1_500, probe: 2_500, connect: 12_000, silent: 30_000 };

/** What a body of this size may take on top: a second for each 8 MiB. */
export function slack(bytes: number): number {
  return Math.ceil((bytes / (8 * 1024 * 1024)) * 1_000);
}
