/**
 * One-time pairing secrets: 128 random bits, 120 s, single use.
 *
 * A secret is issued in memory (the link `serve` prints) or by another process through `<data>/pairing.json` (`throughline
 * pair`). A used secret is remembered until it would have expired, so that a second claimant is noticed.
 */
import * as v from 'valibot';
import { readPrivateFile, removePrivateFile, writePrivateFile } from '../files.ts';
import { randomHex } from '../hash.ts';

const SECRET_LIFETIME = 120_000;

const pendingFile = v.object({ secret: v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/)), expires: v.number() });

export interface Pending {
  readonly secret: string;
  readonly expires: number;
  /** Who claimed it, or null while it is unused. */
  claimedBy: { readonly client: string; readonly origin: string } | null;
}

export interface Secrets {
  issue(): string;
  /** Secrets that have not expired, used ones included. */
  live(): readonly Pending[];
  /** The secret was used (or cancelled): it is gone from the disk. */
  spend(pending: Pending, by: { client: string; origin: string }): void;
}

/** A secret for the running companion of this data directory, written for it to read. */
export function leaveSecret(path: string, now: number): string {
  const secret = randomHex(16);
  writePrivateFile(path, JSON.stringify({ secret, expires: now + SECRET_LIFETIME }));
  return secret;
}

function readPending(path: string): v.InferOutput<typeof pendingFile> | null {
  const text = readPrivateFile(path);
  if (text === null) return null;
  try {
    return v.parse(pendingFile, JSON.parse(text));
  } catch {
    // Not a file of ours, or half of one: as good as none.
    return null;
  }
}

export function createSecrets(path: string, now: () => number): Secrets {
  let pending: Pending[] = [];
  const refresh = (): void => {
    const left = readPending(path);
    if (left !== null && left.expires <= now() + SECRET_LIFETIME && !pending.some((one) => one.secret === left.secret)) {
      pending = pending.filter((one) => one.claimedBy !== null);
      pending.push({ ...left, claimedBy: null });
    }
    pending = pending.filter((one) => one.expires > now());
  };
  return {
    issue() {
      const secret = randomHex(16);
      pending = [
        ...pending.filter((one) => one.claimedBy !== null),
        { secret, expires: now() + SECRET_LIFETIME, claimedBy: null },
      ];
      return secret;
    },
    live() {
      refresh();
      return pending;
    },
    spend(one, by) {
      one.claimedBy = by;
      if (readPending(path)?.secret === one.secret) removePrivateFile(path);
    },
  };
}
