/**
 * Which blocks stand in this request, and which messages they hide.
 *
 * A block stands when its frozen ids can be found in the request in exactly one way: each run of ids that was contiguous when it was
 * folded (a block of tier 1 is one run, a higher tier has one per child) must occur once and only once among the request's cores,
 * the runs in their order. Environment messages are looked through: they are sent and may move. Stricter than a subsequence, on
 * purpose: after a deletion, a later twin ("Done.") would complete the subsequence and be hidden although it is new. Anything
 * unclear (an edit, a deletion, an insertion inside, a run that occurs twice) means absent: the originals go out raw, and
 * the block stands again, byte-identical, when they return.
 *
 * A block also never covers part of a message, part of a unit (pairs.ts), the last user turn or anything after it, and no two
 * blocks claim one message.
 */
import type { BlockId, CoreId } from '#base/brand';
import type { Exchange } from '#neutral/message';
import type { Block } from './block.ts';
import type { Core } from './core.ts';
import { type Unit, unitsOf } from './pairs.ts';
import { isEnvironment, lastUserTurn } from './protect.ts';

export interface Placed {
  readonly block: Block;
  /** Messages it hides, ascending; never empty. */
  readonly messages: readonly number[];
}

export interface Placement {
  /** By place in the request. */
  readonly placed: readonly Placed[];
  /** Folded blocks that do not stand in this request. */
  readonly absent: readonly Block[];
}

/** A request made ready for looking blocks up in it. */
export interface Frame {
  readonly ids: readonly CoreId[];
  /** Message of each id. */
  readonly owner: readonly number[];
  readonly positions: ReadonlyMap<CoreId, readonly number[]>;
  /** Cores per message. */
  readonly sizes: ReadonlyMap<number, number>;
  readonly unitOf: readonly Unit[];
  readonly lastUser: number;
}

/** The request without its environment, indexed by core id. */
export function frameOf(exchange: Exchange, cores: readonly Core[]): Frame {
  const ids: CoreId[] = [];
  const owner: number[] = [];
  const positions = new Map<CoreId, number[]>();
  const sizes = new Map<number, number>();
  for (const core of cores) {
    const message = exchange.messages[core.message];
    if (message === undefined || isEnvironment(message)) continue;
    const known = positions.get(core.id);
    if (known === undefined) positions.set(core.id, [ids.length]);
    else known.push(ids.length);
    ids.push(core.id);
    owner.push(core.message);
    sizes.set(core.message, (sizes.get(core.message) ?? 0) + 1);
  }
  const unitOf: Unit[] = [];
  for (const unit of unitsOf(exchange)) for (let i = unit.first; i <= unit.last; i++) unitOf[i] = unit;
  return { ids, owner, positions, sizes, unitOf, lastUser: lastUserTurn(exchange) };
}

/** The contiguous runs of a block: its children's, in order; its own ids when it has no children (or they are not all known). */
function runsOf(block: Block, byId: ReadonlyMap<BlockId, Block>): readonly (readonly CoreId[])[] {
  if (block.directBlockIds.length === 0) return [block.effectiveIds];
  const runs: (readonly CoreId[])[] = [];
  for (const id of block.directBlockIds) {
    const child = byId.get(id);
    // A child is always of a lower tier, which also ends the recursion on damaged data.
    if (child === undefined || child.tier >= block.tier) return [block.effectiveIds];
    runs.push(...runsOf(child, byId));
  }
  const same = runs.flat();
  const whole = same.length === block.effectiveIds.length && same.every((id, i) => id === block.effectiveIds[i]);
  return whole ? runs : [block.effectiveIds];
}

/** Where the run stands, or -1 when it does not, or does more than once. */
function soleOccurrence(run: readonly CoreId[], frame: Frame): number {
  let anchor = 0;
  let rarest: readonly number[] | undefined;
  for (let i = 0; i < run.length; i++) {
    const found = frame.positions.get(run[i] as CoreId);
    if (found === undefined) return -1;
    if (rarest === undefined || found.length < rarest.length) {
      rarest = found;
      anchor = i;
    }
  }
  let sole = -1;
  for (const position of rarest ?? []) {
    const start = position - anchor;
    if (start < 0 || start + run.length > frame.ids.length) continue;
    if (!run.every((id, i) => frame.ids[start + i] === id)) continue;
    if (sole !== -1) return -1;
    sole = start;
  }
  return sole;
}

/** The messages that hold the block's originals in this request, ascending, whatever the block's state; null when unclear. */
export function locate(block: Block, byId: ReadonlyMap<BlockId, Block>, frame: Frame): readonly number[] | null {
  const covered = new Map<number, number>();
  let after = 0;
  for (const run of runsOf(block, byId)) {
    const start = soleOccurrence(run, frame);
    if (start < after) return null;
    after = start + run.length;
    for (let i = start; i < after; i++) {
      const message = frame.owner[i] as number;
      covered.set(message, (covered.get(message) ?? 0) + 1);
    }
  }
  if (covered.size === 0) return null;
  for (const [message, count] of covered) {
    if (count !== frame.sizes.get(message) || message >= frame.lastUser) return null;
    const unit = frame.unitOf[message];
    if (unit === undefined) return null;
    // A pair's other half (or an environment message caught inside a unit) must not be left behind alone.
    for (let i = unit.first; i <= unit.last; i++) if (!covered.has(i)) return null;
  }
  return [...covered.keys()].sort((a, b) => a - b);
}

/** The blocks that stand in this request. Only folded ones can; a higher tier claims before a lower, an older before a newer. */
export function place(blocks: readonly Block[], cores: readonly Core[], exchange: Exchange): Placement {
  const folded = blocks.filter((block) => block.state === 'folded');
  if (folded.length === 0) return { placed: [], absent: [] };
  const byId = new Map(blocks.map((block) => [block.blockId, block]));
  const frame = frameOf(exchange, cores);
  const taken = new Set<number>();
  const placed: Placed[] = [];
  const absent: Block[] = [];
  for (const block of folded.toSorted((a, b) => b.tier - a.tier)) {
    const messages = locate(block, byId, frame);
    if (messages === null || messages.some((message) => taken.has(message))) {
      absent.push(block);
      continue;
    }
    for (const message of messages) taken.add(message);
    placed.push({ block, messages });
  }
  placed.sort((a, b) => (a.messages[0] ?? 0) - (b.messages[0] ?? 0));
  return { placed, absent };
}
