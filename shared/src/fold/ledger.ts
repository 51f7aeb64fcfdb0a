/**
 * The ledger: which core has which ref, and in which stored row it stands. Refs are allocated once and never reused.
 *
 * The k-th occurrence of an id in a request is the k-th instance of it in the ledger; further occurrences get new refs, in order
 * of arrival. Which instance a *block* covers is not decided here (ordinals break when an earlier twin is deleted) but by
 * alignment, in presence.ts. Observing the same request twice changes nothing.
 */
import type { CoreId, Ref } from '#base/brand';
import type { Exchange, WireId } from '#neutral/message';
import type { Core } from './core.ts';

/** One core instance in the ledger, as stored with its row. */
export interface LedgerEntry {
  readonly id: CoreId;
  /** 0 for the first core with this id in the session, 1 for the second … */
  readonly ordinal: number;
  readonly ref: Ref;
  readonly tokens: number;
}

/** One message the client sent, original bytes as text. Appended once, never changed by folding. */
export interface TranscriptRow {
  readonly seq: number;
  readonly wire: WireId;
  readonly role: string;
  /** The message exactly as it stood in the body. */
  readonly raw: string;
  readonly cores: readonly LedgerEntry[];
  readonly pinned: boolean;
}

export interface Ledger {
  readonly nextSeq: number;
  /** Number of the next ref: 1 gives `m00001`. */
  readonly nextRef: number;
  /** Instances of each id, by ordinal. */
  readonly instances: ReadonlyMap<CoreId, readonly LedgerEntry[]>;
  /** Row by the refs of its cores: a message that is made of the same instances is that row. */
  readonly rowOf: ReadonlyMap<string, number>;
  readonly pinned: ReadonlySet<number>;
}

export interface Observation {
  /** Rows this request adds, in message order. */
  readonly rows: readonly TranscriptRow[];
  /** Ref of each core. */
  readonly refs: readonly Ref[];
  /** Row of each message, new or old. */
  readonly seqOfMessage: readonly number[];
  /** The ledger with the new rows in it. */
  readonly ledger: Ledger;
}

const LAST_REF = 99_999;

/** `m00001` for 1. Throws when the session has used up its refs: the shells then send the request raw. */
export function refOf(number: number): Ref {
  if (number > LAST_REF) throw new RangeError('refs-exhausted: this session has used all its message refs. Start a new one.');
  return `m${String(number).padStart(5, '0')}` as Ref;
}

function signature(entries: readonly { readonly ref: Ref }[]): string {
  return entries.length === 1 ? (entries[0]?.ref ?? '') : entries.map((entry) => entry.ref).join(' ');
}

/**
 * The ledger of stored rows. `floor` carries the record's own counters, which never go back even when rows were pruned.
 */
export function ledgerOf(
  rows: readonly TranscriptRow[],
  floor?: { readonly nextSeq: number; readonly nextRef: number },
): Ledger {
  const instances = new Map<CoreId, LedgerEntry[]>();
  const rowOf = new Map<string, number>();
  const pinned = new Set<number>();
  let nextSeq = floor?.nextSeq ?? 0;
  let nextRef = floor?.nextRef ?? 1;
  for (const row of rows) {
    nextSeq = Math.max(nextSeq, row.seq + 1);
    if (row.pinned) pinned.add(row.seq);
    const key = signature(row.cores);
    if (!rowOf.has(key)) rowOf.set(key, row.seq);
    for (const entry of row.cores) {
      nextRef = Math.max(nextRef, Number(entry.ref.slice(1)) + 1);
      const known = instances.get(entry.id);
      if (known === undefined) instances.set(entry.id, [entry]);
      else if (!known.some((one) => one.ordinal === entry.ordinal)) known.push(entry);
    }
  }
  for (const known of instances.values()) known.sort((a, b) => a.ordinal - b.ordinal);
  return { nextSeq, nextRef, instances, rowOf, pinned };
}

/** Groups cores by message; every message of the exchange gets a list. */
function byMessage(cores: readonly Core[], count: number): readonly (readonly Core[])[] {
  const lists: Core[][] = Array.from({ length: count }, () => []);
  for (const core of cores) lists[core.message]?.push(core);
  return lists;
}

/**
 * What this request adds to the ledger. A message becomes a new row when it has a core never seen before, or joins known cores
 * in a way no stored row does; otherwise it is the row it was.
 */
export function observe(ledger: Ledger, exchange: Exchange, cores: readonly Core[]): Observation {
  const seen = new Map<CoreId, number>();
  const added = new Map<CoreId, LedgerEntry[]>();
  const newRows = new Map<string, number>();
  const rows: TranscriptRow[] = [];
  const refs: Ref[] = [];
  const seqOfMessage: number[] = [];
  let { nextSeq, nextRef } = ledger;
  byMessage(cores, exchange.messages.length).forEach((list, index) => {
    const entries = list.map((core) => {
      const occurrence = seen.get(core.id) ?? 0;
      seen.set(core.id, occurrence + 1);
      const old = ledger.instances.get(core.id) ?? [];
      const known = occurrence < old.length ? old[occurrence] : added.get(core.id)?.[occurrence - old.length];
      if (known !== undefined) return known;
      const ordinal = (old.at(-1)?.ordinal ?? -1) + 1 + (added.get(core.id)?.length ?? 0);
      const entry: LedgerEntry = { id: core.id, ordinal, ref: refOf(nextRef++), tokens: core.tokens };
      const fresh = added.get(core.id);
      if (fresh === undefined) added.set(core.id, [entry]);
      else fresh.push(entry);
      return entry;
    });
    for (const entry of entries) refs.push(entry.ref);
    const key = signature(entries);
    const known = ledger.rowOf.get(key) ?? newRows.get(key);
    if (known !== undefined) {
      seqOfMessage.push(known);
      return;
    }
    const message = exchange.messages[index];
    if (message === undefined) throw new Error('cores and messages of an exchange must agree');
    const raw = exchange.source.slice(message.source.start, message.source.end);
    rows.push({ seq: nextSeq, wire: exchange.wire, role: message.role, raw, cores: entries, pinned: false });
    newRows.set(key, nextSeq);
    seqOfMessage.push(nextSeq++);
  });
  if (rows.length === 0) return { rows, refs, seqOfMessage, ledger };
  const instances = new Map(ledger.instances);
  for (const [id, entries] of added) instances.set(id, [...(instances.get(id) ?? []), ...entries]);
  const rowOf = new Map([...ledger.rowOf, ...newRows]);
  return { rows, refs, seqOfMessage, ledger: { nextSeq, nextRef, instances, rowOf, pinned: ledger.pinned } };
}
