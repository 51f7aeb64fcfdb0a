/**
 * Every frame on the socket, by direction. Text frames are JSON of these shapes; bytes travel in binary frames (binary.ts).
 *
 * Unknown fields are ignored, unknown verbs refused. Both sides validate what they receive (codec.ts).
 */
import * as v from 'valibot';

/** Protocol range this build speaks. */
export const PROTOCOL: readonly [number, number] = [1, 1];

const hex = v.pipe(v.string(), v.regex(/^[0-9a-f]+$/), v.maxLength(128));
const id = v.pipe(v.string(), v.minLength(1), v.maxLength(256));
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const stream = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(0xffffffff));
const proto = v.tuple([count, count]);
const head = v.object({ link: hex, depth: count });
const headers = v.pipe(
  v.array(v.tuple([v.pipe(v.string(), v.maxLength(256)), v.pipe(v.string(), v.maxLength(16_384))])),
  v.maxLength(128),
);
const wire = v.picklist(['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini', 'ollama-chat']);
/** Shapes owned by `session/records.ts` and `fold/block.ts`; checked structurally there by the laws, here only for being objects. */
const record = v.looseObject({ scope: id, session: id, rev: count });
const block = v.looseObject({ blockId: v.pipe(v.string(), v.regex(/^b\d+$/)), summary: v.string(), rev: count });
const row = v.looseObject({ seq: count, raw: v.string() });
const link = v.looseObject({ link: hex, depth: count });
const event = v.looseObject({ kind: v.string(), at: v.number() });

export const tombstone = v.object({ scope: id, session: v.nullable(id), site: v.nullable(v.string()), at: v.number() });
export const snapshot = v.object({ record, rows: v.array(row), links: v.array(link), blocks: v.array(block) });
export const commit = v.object({
  record,
  links: v.array(link),
  rows: v.array(row),
  blocks: v.array(block),
  event: v.nullable(event),
});
const usage = v.object({
  fresh: v.nullable(v.number()),
  cached: v.nullable(v.number()),
  written: v.nullable(v.number()),
  output: v.nullable(v.number()),
});

// ── extension → companion ─────────────────────────────────────────────────────────────────────────────────────────────────

export const hello = v.object({
  t: v.literal('hello'),
  proto,
  /** Name of the pairing, given at pairing time. */
  client: id,
  /** 16 random bytes, hex. */
  nonce: hex,
  /** Extension version, for the "too old" message. */
  version: v.pipe(v.string(), v.maxLength(32)),
  /** Random id made when the extension's store was created: a new one means that store was lost. */
  store: id,
  /** Sessions the store holds. */
  sessions: count,
});
export const proof = v.object({ t: v.literal('proof'), mac: hex });

/**
 * One request of a page. The body follows in binary frames: the whole body when `base` is null, else only the new middle
 * between `prefix` bytes copied from the start of the base body and `suffix` bytes copied from its end.
 */
export const turnOpen = v.object({
  t: v.literal('turn.open'),
  stream,
  session: id,
  /** Revision of the session in the extension's store; 0 for a session that this turn gives birth to. */
  rev: count,
  wire,
  /** How the extension resolved it. Carried so that both stores write the same record. */
  resolution: v.looseObject({ via: v.picklist(['declared', 'prefix', 'signal', 'new']), depth: count, incoming: count }),
  /** Heads of the request's own chain, per domain; the companion recomputes and refuses a claim that differs. */
  heads: v.object({ 2: head, 3: head }),
  signal: v.object({ site: v.string(), document: v.string(), conversation: v.optional(v.string()) }),
  upstream: v.object({ url: v.pipe(v.string(), v.maxLength(16_384)), method: v.pipe(v.string(), v.maxLength(16)), headers }),
  /** sha256 and byte length of the whole body. */
  body: v.object({ digest: hex, length: count }),
  base: v.nullable(v.object({ digest: hex, prefix: count, suffix: count })),
  /**
   * What the extension's copy of the session looks like (session/fingerprint.ts); absent for a birth. A copy with the same rev and
   * another fingerprint is another history: the companion pulls.
   */
  print: v.optional(hex),
  /** Loopback and LAN origins the person approved by name for this site. */
  approved: v.optional(v.pipe(v.array(v.pipe(v.string(), v.maxLength(256))), v.maxLength(64))),
  /** `off` sends the body exactly as it is. */
  fold: v.picklist(['auto', 'off']),
  /** Extension clock, milliseconds since the epoch. */
  at: v.number(),
});
export const turnCredit = v.object({ t: v.literal('turn.credit'), stream, bytes: count });
export const turnAbort = v.object({ t: v.literal('turn.abort'), stream });
/** A change the extension committed on its own (a block accepted, an unfold, a pin): applied as rev + 1, else pulled. */
export const sessionCommit = v.object({ t: v.literal('session.commit'), commit });
export const sessionPush = v.object({ t: v.literal('session.push'), snapshot });
/** The extension does not take this proposed block: not offered again, and counted as a failed fold. */
export const foldDropped = v.object({ t: v.literal('fold.dropped'), session: id, block: v.string(), code: v.string() });
/** Fold this session at the next occasion, whatever the trigger says. */
export const foldNow = v.object({ t: v.literal('fold.now'), session: id });
export const forget = v.object({ t: v.literal('forget'), tombstone });
export const inspect = v.object({ t: v.literal('inspect'), id: count, what: v.picklist(['stats', 'health']) });

// ── companion → extension ─────────────────────────────────────────────────────────────────────────────────────────────────

export const challenge = v.object({ t: v.literal('challenge'), proto: count, companionId: id, nonce: hex, mac: hex });
export const ready = v.object({
  t: v.literal('ready'),
  scope: id,
  version: v.string(),
  /** The extension's store id differs from the one this scope last had: sessions follow as `session.push`. */
  restore: count,
});
/** The base body is not here any more (or its digest differs): send the whole body. Nothing was dispatched. */
export const turnResync = v.object({ t: v.literal('turn.resync'), stream });
/** The companion's replica is behind or differs: push the session. A turn in progress waits for it. */
export const sessionPull = v.object({ t: v.literal('session.pull'), session: id });
/** Nothing was sent upstream; the page's own request must go out natively. */
export const turnRefused = v.object({ t: v.literal('turn.refused'), stream, code: v.string(), message: v.string() });
/** From here on bytes may be at the provider. */
export const turnDispatched = v.object({
  t: v.literal('turn.dispatched'),
  stream,
  /** Blocks standing in this request. */
  blocks: v.array(v.string()),
  /** Estimated input tokens: what the client sent and what went upstream. */
  tokens: v.object({ received: count, sent: count }),
  /** Why nothing was folded although it could have been, or null. */
  note: v.nullable(v.string()),
});
export const turnHead = v.object({ t: v.literal('turn.head'), stream, status: count, statusText: v.string(), headers });
export const turnEnd = v.object({
  t: v.literal('turn.end'),
  stream,
  outcome: v.picklist(['complete', 'incomplete', 'error', 'aborted']),
  usage,
  tokens: v.object({ received: count, sent: count }),
  /** True when the folded request was refused and the original was sent once more. */
  resent: v.boolean(),
  /** Blocks to quarantine, because the original succeeded where the folded one did not. */
  quarantine: v.array(v.string()),
  /** Context window the upstream told, in tokens, or null. */
  window: v.nullable(v.number()),
  /** Window that the companion's settings give for this upstream and model: both stores must write the same record. */
  configuredWindow: v.optional(v.nullable(count)),
  /** The extract that stood in this request because it would not have fit: committed with the turn, by both sides. */
  extract: v.optional(v.nullable(block)),
});
/** After dispatch, something broke. `delivered` says whether any response byte was sent to the extension. */
export const turnError = v.object({
  t: v.literal('turn.error'),
  stream,
  code: v.string(),
  message: v.string(),
  /** `upstream`: the provider or network failed. `companion`: we did. */
  side: v.picklist(['upstream', 'companion']),
});
/** A summary is ready. It is used only after the extension has committed it (`session.commit`). */
export const foldProposed = v.object({
  t: v.literal('fold.proposed'),
  session: id,
  /** Revision it was planned on is not required to be current: the extension checks that its seqs and ids still stand. */
  block,
  /** Blocks it consumes. */
  consumes: v.array(v.string()),
  cost: count,
});
export const foldStatus = v.object({
  t: v.literal('fold.status'),
  session: id,
  state: v.picklist(['started', 'failed', 'dropped', 'nothing']),
  /** A code the UI has a sentence for, or null. */
  reason: v.nullable(v.string()),
  /** Tokens that the attempt cost, where it cost any. */
  cost: v.optional(count),
});
export const inspected = v.object({ t: v.literal('inspected'), id: count, data: v.unknown() });
export const refused = v.object({ t: v.literal('refused'), code: v.string(), message: v.string() });

export const extensionFrame = v.variant('t', [
  hello,
  proof,
  turnOpen,
  turnCredit,
  turnAbort,
  sessionCommit,
  sessionPush,
  foldDropped,
  foldNow,
  forget,
  inspect,
]);
export const companionFrame = v.variant('t', [
  challenge,
  ready,
  turnResync,
  sessionPull,
  turnRefused,
  turnDispatched,
  turnHead,
  turnEnd,
  turnError,
  foldProposed,
  foldStatus,
  inspected,
  refused,
  sessionPush,
  forget,
]);
/** What the extension says. */
export type ExtensionToCompanion = v.InferOutput<typeof extensionFrame>;
/** What the companion says. */
export type CompanionToExtension = v.InferOutput<typeof companionFrame>;
export type TurnOpen = v.InferOutput<typeof turnOpen>;
export type TurnEnd = v.InferOutput<typeof turnEnd>;
