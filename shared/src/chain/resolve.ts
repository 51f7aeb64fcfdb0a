/**
 * Which known session does this request continue? Pure: the evidence is gathered elsewhere (session/identify.ts).
 *
 * Invariant: a session is attached only when its whole head opens the request, byte for byte, in one domain. Lineage, models,
 * credentials and origins decide nothing. Whatever is doubtful opens a session of its own: that costs one raw resend.
 */
import type { Digest, SessionId } from '#base/brand';
import { DOMAINS, type Domain } from '#neutral/turn';
import { type Chains, continues } from './chain.ts';
import type { ClientSignal, Reason } from './resolution.ts';

/** A session's head that opens the request. */
export interface Candidate {
  readonly session: SessionId;
  readonly domain: Domain;
  /** Turns of the head, in `domain`. */
  readonly depth: number;
  /** Messages of the request that the head accounts for: comparable between domains. */
  readonly covers: number;
  readonly head: Digest;
  /** The session has shown no more than one turn, in one domain at least. */
  readonly opening: boolean;
  readonly document: string | null;
  readonly conversation: string | null;
  readonly usedAt: number;
}

/** A request under way. Its end is a head that is not stored yet. */
export interface Underway {
  readonly session: SessionId;
  readonly chains: Chains;
  readonly document: string | null;
  readonly conversation: string | null;
  /** Heads of its session as they are stored by now; null while nothing of it is (it is newborn). */
  readonly heads: { readonly [D in Domain]: { readonly link: Digest; readonly depth: number } } | null;
}

export interface Evidence {
  readonly chains: Chains;
  readonly signal: ClientSignal | null;
  /** Sessions whose stored head opens the request: at least the deepest ones, with all of their ties. */
  readonly stored: readonly Candidate[];
  readonly underway: readonly Underway[];
}

export type Verdict =
  | { readonly kind: 'attach'; readonly winner: Candidate; readonly compared: number; readonly next: Candidate | null }
  | {
      readonly kind: 'open';
      /** Why a head that opens the request was not taken; null when there was none. */
      readonly code: Extract<Reason['code'], 'head-in-flight' | 'other-document'> | null;
      readonly compared: number;
      readonly nearest: Candidate | null;
    };

/** The verdict of rule `prefix`. */
export function resolve(evidence: Evidence): Verdict {
  const { signal, underway, chains } = evidence;
  const all = [...evidence.stored, ...underway.flatMap((request) => endsOf(request, evidence))];
  const ranked = all.filter((candidate) => !isElsewhere(candidate, signal)).sort((a, b) => compare(a, b, signal));
  const compared = new Set(all.map((candidate) => candidate.session)).size;
  const [deepest] = ranked;
  if (deepest === undefined) {
    return { kind: 'open', code: all.length > 0 ? 'other-document' : null, compared, nearest: all[0] ?? null };
  }
  const winner = ranked.find((candidate) => candidate.covers === deepest.covers && isFree(candidate.session, underway, chains));
  // A shallower head is no way out: the request belongs to the line that is being continued, or to a new one.
  if (winner === undefined) return { kind: 'open', code: 'head-in-flight', compared, nearest: deepest };
  return { kind: 'attach', winner, compared, next: ranked.find((candidate) => candidate.session !== winner.session) ?? null };
}

/**
 * True when an opening was made in another page instance or page conversation than this request's. Where both name their page
 * conversation, it alone decides: a reload makes a new page instance of the same conversation.
 */
export function isElsewhere(candidate: Candidate, signal: ClientSignal | null): boolean {
  if (signal === null || !candidate.opening) return false;
  if (candidate.conversation !== null && signal.conversation !== undefined) {
    return candidate.conversation !== signal.conversation;
  }
  return candidate.document !== signal.document;
}

/** True when every request of the session under way is this request, or a beginning of it. */
function isFree(session: SessionId, underway: readonly Underway[], chains: Chains): boolean {
  return underway.every((request) => request.session !== session || continues(chains, request.chains));
}

/**
 * The ends of a request under way as heads. A newborn counts only in the place where it was born. A session that has moved on
 * since then takes no request that does not go along: its stored head must open the request as well.
 */
function endsOf(request: Underway, evidence: Evidence): Candidate[] {
  const { heads } = request;
  if (heads === null && request.document !== (evidence.signal?.document ?? null)) return [];
  if (heads !== null && !DOMAINS.some((domain) => opens(heads[domain], evidence.chains, domain))) return [];
  return DOMAINS.flatMap((domain) => {
    const { links } = request.chains[domain];
    const head = links.at(-1);
    const own = evidence.chains[domain];
    if (head === undefined || own.links[links.length - 1] !== head) return [];
    return {
      session: request.session,
      domain,
      depth: links.length,
      covers: own.covers[links.length - 1] ?? 0,
      head,
      opening: isOpening(request.chains[2].links.length, request.chains[3].links.length),
      document: request.document,
      conversation: request.conversation,
      usedAt: Number.POSITIVE_INFINITY,
    };
  });
}

function opens(head: { readonly link: Digest; readonly depth: number }, chains: Chains, domain: Domain): boolean {
  return chains[domain].links[head.depth - 1] === head.link;
}

/** True when heads of these depths, one per domain, have shown no more than an opening. */
export function isOpening(second: number, third: number): boolean {
  return Math.min(second, third) <= 1;
}

/** Best first: more messages, then the same page instance, then the most recently used; the rest only makes it one order. */
function compare(a: Candidate, b: Candidate, signal: ClientSignal | null): number {
  const here = (candidate: Candidate): number => (signal !== null && candidate.document === signal.document ? 1 : 0);
  if (a.covers !== b.covers) return b.covers - a.covers;
  if (here(a) !== here(b)) return here(b) - here(a);
  if (a.usedAt !== b.usedAt) return b.usedAt - a.usedAt;
  if (a.session !== b.session) return a.session < b.session ? -1 : 1;
  return a.domain - b.domain;
}
