/**
 * Checks a file of conversations before anything of it is used. It may come from anywhere: every known field has its shape and
 * its limits, and what the fields say of each other must hold (positions, counters, references). What passed is used as it stood,
 * key order and later fields included, so that taking in and out again gives the same bytes.
 */
import * as v from 'valibot';
import { WIRE_IDS } from '#neutral/message';
import { type ExportFile, PORTABLE_FORMAT, PORTABLE_VERSION, type PortableSession } from './portable.ts';

const id = v.pipe(v.string(), v.regex(/^[\w.:@/+=~-]{1,256}$/));
const digest = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const time = v.pipe(v.number(), v.finite(), v.minValue(0), v.maxValue(8.64e15));
const amount = v.pipe(v.number(), v.finite());
const line = v.pipe(v.string(), v.maxLength(4096));
const site = v.nullable(v.pipe(v.string(), v.maxLength(512)));
const ref = v.pipe(v.string(), v.regex(/^m\d{5}$/));
const core = v.pipe(v.string(), v.regex(/^h_[0-9a-f]{16}$/));
const blockId = v.pipe(v.string(), v.regex(/^b[1-9]\d{0,8}$/));
const domain = v.picklist([2, 3]);
const wire = v.picklist(WIRE_IDS);
const via = v.picklist(['declared', 'prefix', 'signal', 'new', 'side', 'bypass']);
const head = v.object({ link: digest, depth: count });
const next = v.object({ session: id, depth: count, differsAt: count });

const record = v.object({
  scope: id,
  session: id,
  rev: v.pipe(count, v.minValue(1)),
  wire,
  heads: v.object({ 2: head, 3: head }),
  site,
  document: v.nullable(line),
  conversation: v.nullable(line),
  model: v.nullable(line),
  title: line,
  createdAt: time,
  usedAt: time,
  via,
  lineage: v.nullable(
    v.object({
      kind: v.picklist(['forked', 'truncated', 'derived', 'continued']),
      parents: v.pipe(v.array(id), v.maxLength(64)),
      shared: count,
    }),
  ),
  last: v.object({
    via,
    depth: count,
    incoming: count,
    domain: v.nullable(domain),
    // The codes grow from version to version; a code nobody knows is shown as it is.
    reason: v.object({
      compared: count,
      head: v.nullable(digest),
      next: v.nullable(next),
      code: v.pipe(v.string(), v.regex(/^[a-z0-9-]{1,40}$/)),
    }),
  }),
  nextSeq: count,
  nextRef: count,
  nextBlock: count,
  nextRun: count,
  turnsSinceFold: count,
  backoff: v.object({ wait: count, failures: count }),
  stats: v.object({
    ...{ requests: count, received: amount, sent: amount, foldCost: amount, folds: count, possibleDoubleBills: count },
    ...{ lastReceived: amount, lastSent: amount, lastReported: v.nullable(amount) },
  }),
  window: v.object({ tokens: v.nullable(count), source: v.picklist(['config', 'table', 'upstream', 'unknown']) }),
  mode: v.picklist(['auto', 'off']),
});
const row = v.object({
  seq: count,
  wire,
  role: v.pipe(v.string(), v.maxLength(64)),
  raw: v.string(),
  cores: v.array(v.object({ id: core, ordinal: count, ref, tokens: amount })),
  pinned: v.boolean(),
});
const link = v.object({ domain, link: digest, parent: v.nullable(digest), item: digest, depth: v.pipe(count, v.minValue(1)) });
const block = v.object({
  blockId,
  runId: line,
  tier: v.picklist([1, 2, 3]),
  topic: line,
  summary: v.string(),
  directIds: v.array(core),
  effectiveIds: v.array(core),
  directBlockIds: v.array(blockId),
  refs: v.tuple([ref, ref]),
  seqs: v.array(count),
  tokensBefore: amount,
  tokensAfter: amount,
  createdAt: time,
  state: v.picklist(['folded', 'expanded', 'consumed', 'quarantined']),
  rev: count,
  author: v.picklist(['model', 'extract']),
});
const value = v.union([v.pipe(v.string(), v.maxLength(1024)), amount, v.boolean(), v.null()]);
const event = v.object({
  at: time,
  rev: count,
  kind: v.pipe(v.string(), v.regex(/^[a-z-]{1,32}$/)),
  data: v.record(v.pipe(v.string(), v.regex(/^(?!__proto__$)\w{1,64}$/)), value),
});

const session = v.pipe(
  v.object({ record, rows: v.array(row), links: v.array(link), blocks: v.array(block), events: v.array(event) }),
  v.check((one) => hangsTogether(one as unknown as PortableSession), 'its parts do not fit together'),
);
const tombstone = v.object({ scope: id, session: v.nullable(id), site, at: time });
const file = v.object({
  format: v.literal(PORTABLE_FORMAT),
  version: v.literal(PORTABLE_VERSION),
  exportedAt: time,
  sessions: v.array(session),
  tombstones: v.array(tombstone),
});

const ascends = (numbers: readonly number[]): boolean => numbers.every((n, i) => i === 0 || n > (numbers[i - 1] as number));

/** Positions ascend and stay below the counters, blocks stand on rows and blocks that are here, events fit the revision. */
function hangsTogether({ record: of, rows, links, blocks, events }: PortableSession): boolean {
  const seqs = new Set(rows.map((one) => one.seq));
  const numbers = blocks.map((one) => Number(one.blockId.slice(1)));
  const names = new Set<string>(blocks.map((one) => one.blockId));
  const keys = new Set(links.map((one) => `${one.domain} ${one.link}`));
  return (
    ascends(rows.map((one) => one.seq)) &&
    (rows.at(-1)?.seq ?? -1) < of.nextSeq &&
    rows.every((one) => one.cores.every((entry) => Number(entry.ref.slice(1)) < of.nextRef)) &&
    ascends(numbers) &&
    (numbers.at(-1) ?? 0) < of.nextBlock &&
    blocks.every((one) => one.seqs.every((seq) => seqs.has(seq)) && one.directBlockIds.every((name) => names.has(name))) &&
    keys.size === links.length &&
    links.every((one) => (one.parent === null) === (one.depth === 1)) &&
    events.length <= of.rev
  );
}

export type ReadPortable =
  | { readonly ok: true; readonly file: ExportFile }
  | { readonly ok: false; readonly reason: 'not-json' | 'not-ours' | 'newer' | 'broken'; readonly at: string };

/** A key that could reach an object's prototype has no business in a file of ours. */
function refuseProto(key: string, inner: unknown): unknown {
  if (key === '__proto__') throw new SyntaxError('reserved key');
  return inner;
}

/** The file, or why it is not one. The reason names a place in it and never quotes it. */
export function readPortable(text: string): ReadPortable {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text, refuseProto);
  } catch {
    return { ok: false, reason: 'not-json', at: 'file' };
  }
  const { format, version } = (parsed ?? {}) as { format?: unknown; version?: unknown };
  if (format !== PORTABLE_FORMAT) return { ok: false, reason: 'not-ours', at: 'format' };
  if (typeof version === 'number' && version > PORTABLE_VERSION) return { ok: false, reason: 'newer', at: 'version' };
  const result = v.safeParse(file, parsed);
  if (!result.success) return { ok: false, reason: 'broken', at: v.getDotPath(result.issues[0]) ?? 'file' };
  const ids = result.output.sessions.map((one) => `${one.record.scope} ${one.record.session}`);
  if (new Set(ids).size !== ids.length) return { ok: false, reason: 'broken', at: 'sessions' };
  return { ok: true, file: parsed as ExportFile };
}
