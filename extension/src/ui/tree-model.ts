/**
 * The family of a conversation as a flat list of visible rows, and how keys move over it. Pure; any depth without recursion.
 *
 * A node whose parent is missing is a root; a cycle (which would be a broken store) is cut, so the list always ends.
 */
import type { LineageNode } from '../panel-messages.ts';

export interface TreeRow {
  readonly node: LineageNode;
  readonly level: number;
  readonly position: number;
  readonly siblings: number;
  readonly children: number;
}

/** Children by parent, roots under null, in the order given. */
function childrenOf(nodes: readonly LineageNode[]): ReadonlyMap<string | null, readonly LineageNode[]> {
  const known = new Set(nodes.map((node) => node.session));
  const children = new Map<string | null, LineageNode[]>();
  for (const node of nodes) {
    const parent = node.parent !== null && known.has(node.parent) && node.parent !== node.session ? node.parent : null;
    const list = children.get(parent);
    if (list === undefined) children.set(parent, [node]);
    else list.push(node);
  }
  return children;
}

/** Rows in order, without the descendants of closed nodes. */
export function visibleRows(nodes: readonly LineageNode[], closed: ReadonlySet<string> = new Set()): readonly TreeRow[] {
  const children = childrenOf(nodes);
  const rows: TreeRow[] = [];
  const stack: TreeRow[] = [];
  const push = (parent: string | null, level: number) => {
    const list = children.get(parent) ?? [];
    for (let index = list.length - 1; index >= 0; index--) {
      const node = list[index];
      if (node === undefined) continue;
      const below = children.get(node.session)?.length ?? 0;
      stack.push({ node, level, position: index + 1, siblings: list.length, children: below });
    }
  };
  push(null, 1);
  for (let row = stack.pop(); row !== undefined; row = stack.pop()) {
    rows.push(row);
    if (!closed.has(row.node.session)) push(row.node.session, row.level + 1);
  }
  return rows;
}

export interface TreeMove {
  readonly focus: number;
  readonly toggle: 'open' | 'close' | null;
}

/** What a key does at a row, as the pattern for trees says; null when the key is not one of them. */
export function moveInTree(rows: readonly TreeRow[], at: number, key: string, closed: ReadonlySet<string>): TreeMove | null {
  const row = rows[at];
  if (row === undefined) return null;
  const last = rows.length - 1;
  const isClosed = closed.has(row.node.session);
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return { focus: Math.min(last, at + 1), toggle: null };
    case 'ArrowUp':
    case 'k':
      return { focus: Math.max(0, at - 1), toggle: null };
    case 'Home':
      return { focus: 0, toggle: null };
    case 'End':
      return { focus: last, toggle: null };
    case 'ArrowRight':
      if (row.children === 0) return { focus: at, toggle: null };
      return isClosed ? { focus: at, toggle: 'open' } : { focus: Math.min(last, at + 1), toggle: null };
    case 'ArrowLeft': {
      if (row.children > 0 && !isClosed) return { focus: at, toggle: 'close' };
      let parent = at - 1;
      while (parent >= 0 && (rows[parent]?.level ?? 0) >= row.level) parent -= 1;
      return { focus: Math.max(parent, 0), toggle: null };
    }
    default:
      return null;
  }
}
