/**
 * The ledger: which core has which ref, and in which stored row it stands. Refs are allocated once and never reused.
 */
import type { CoreId, Ref } from '#base/brand';
import type { WireId } from '#neutral/message';

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
