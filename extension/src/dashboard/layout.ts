/**
 * Lineage as a picture: one lane per conversation, time from left to right, in messages. Pure and linear in the number of nodes.
 *
 * A child starts where it left its parent: after the messages they share, or at the parent's end when they share none.
 */
import type { LineageNode } from '../panel-messages.ts';
import { visibleRows } from '../ui/tree-model.ts';

export interface Lane {
  readonly node: LineageNode;
  /** Row, 0 at the top. */
  readonly row: number;
  /** Where its line begins and ends, in messages from the family's first. */
  readonly from: number;
  readonly to: number;
  /** Row of the parent's lane, or null for a root. */
  readonly parentRow: number | null;
}

export interface Picture {
  readonly lanes: readonly Lane[];
  /** Length of the longest line, in messages; at least 1. */
  readonly length: number;
}

/** Lays a family out. */
export function layoutLineage(nodes: readonly LineageNode[]): Picture {
  const placed = new Map<string, { lane: Lane; zero: number }>();
  const lanes: Lane[] = [];
  let length = 1;
  for (const { node, level } of visibleRows(nodes)) {
    const parent = level === 1 || node.parent === null ? undefined : placed.get(node.parent);
    const from = parent === undefined ? 0 : branchPoint(node, parent);
    const zero = parent === undefined ? 0 : Math.max(0, from - node.shared);
    const to = Math.max(zero + node.messages, from + 1);
    const lane: Lane = { node, row: lanes.length, from, to, parentRow: parent?.lane.row ?? null };
    lanes.push(lane);
    placed.set(node.session, { lane, zero });
    length = Math.max(length, to);
  }
  return { lanes, length };
}

function branchPoint(node: LineageNode, parent: { lane: Lane; zero: number }): number {
  if (node.shared === 0) return parent.lane.to;
  return Math.min(parent.lane.to, Math.max(parent.lane.from, parent.zero + node.shared));
}

/** Pixels of a picture: margins, lane height, and where a message count falls. */
export interface Scale {
  readonly width: number;
  readonly x: (messages: number) => number;
  readonly y: (row: number) => number;
  readonly height: number;
}

/** Maps messages and rows to pixels. */
export function scaleOf(picture: Picture, width: number): Scale {
  const left = 12;
  const right = 24;
  const lane = 44;
  return {
    width,
    x: (messages) => left + (messages / picture.length) * (width - left - right),
    y: (row) => 30 + row * lane,
    height: 16 + Math.max(1, picture.lanes.length) * lane,
  };
}

/** The line of one lane: down from the parent, a small bend, then to the right. */
export function lanePath(lane: Lane, scale: Scale): string {
  const x = scale.x(lane.from);
  const y = scale.y(lane.row);
  const end = scale.x(lane.to);
  if (lane.parentRow === null) return `M${x} ${y}H${end}`;
  const bend = Math.min(8, Math.max(0, end - x));
  return `M${x} ${scale.y(lane.parentRow)}V${y - bend}Q${x} ${y} ${x + bend} ${y}H${end}`;
}
