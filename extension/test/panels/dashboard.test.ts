import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { retentionOf } from '../../src/dashboard/defaults.ts';
import { eventFacts } from '../../src/dashboard/event-facts.ts';
import { lanePath, layoutLineage, scaleOf } from '../../src/dashboard/layout.ts';
import { parseRoute, renderRoute, TABS } from '../../src/dashboard/route.ts';
import { rowKey, rowsOf } from '../../src/dashboard/rows.ts';
import { sitesOf } from '../../src/dashboard/sites.ts';
import type { LineageNode } from '../../src/panel-messages.ts';
import { moveInTree, visibleRows } from '../../src/ui/tree-model.ts';
import { rowAfter, sliceInSight } from '../../src/ui/virtual-model.ts';
import { blocks, messages, tree } from './fixtures.ts';

const family: fc.Arbitrary<readonly LineageNode[]> = fc
  .array(fc.tuple(fc.nat(30), fc.nat(20), fc.nat(40)), { maxLength: 30 })
  .map((list) =>
    list.map(([parent, shared, count], at) => ({
      session: `s${at}`,
      title: `t${at}`,
      messages: count,
      blocks: 0,
      // Any parent, also one that is missing, later or the node itself: stores can be broken.
      parent: parent > 28 ? null : `s${parent}`,
      kind: 'forked' as const,
      shared,
      current: at === 0,
    })),
  );

describe('the picture of the lineage', () => {
  it('starts each child where it left its parent', () => {
    const { lanes } = layoutLineage(tree);
    const lane = (id: string) => lanes.find((one) => one.node.session === id);
    expect(lanes.map((one) => one.node.session)).toEqual(['s0', 's1', 's2', 's4', 's3']);
    expect(lane('s1')).toMatchObject({ from: 18, to: 43, parentRow: 0 });
    expect(lane('s2')).toMatchObject({ from: 43, parentRow: 1 });
  });

  it('gives every lane its own row, runs forward, and never leaves the frame', () => {
    fc.assert(
      fc.property(family, (nodes) => {
        const picture = layoutLineage(nodes);
        const scale = scaleOf(picture, 720);
        picture.lanes.forEach((lane, row) => {
          expect(lane.row).toBe(row);
          expect(lane.to).toBeGreaterThan(lane.from);
          expect(lane.parentRow ?? -1).toBeLessThan(row);
          expect(scale.x(lane.to)).toBeLessThanOrEqual(scale.width);
          expect(lanePath(lane, scale)).toMatch(/^M[\d.]+ [\d.]+/);
        });
      }),
    );
  });

  it('survives a chain of ten thousand', () => {
    const chain = Array.from({ length: 10_000 }, (_, at) => ({
      session: `s${at}`,
      title: '',
      messages: at + 1,
      blocks: 0,
      parent: at === 0 ? null : `s${at - 1}`,
      kind: 'continued' as const,
      shared: at,
      current: false,
    }));
    expect(layoutLineage(chain).lanes).toHaveLength(10_000);
  });
});

describe('the tree', () => {
  it('lists parents before children and ends even on cycles', () => {
    fc.assert(
      fc.property(family, (nodes) => {
        const rows = visibleRows(nodes);
        expect(rows.length).toBeLessThanOrEqual(nodes.length);
        const seen = new Set<string>();
        for (const { node, level } of rows) {
          if (level > 1) expect(seen.has(node.parent ?? '')).toBe(true);
          seen.add(node.session);
        }
        expect(seen.size).toBe(rows.length);
      }),
    );
  });

  it('moves as the pattern for trees says', () => {
    const open = new Set<string>();
    const rows = visibleRows(tree);
    expect(moveInTree(rows, 0, 'ArrowDown', open)).toEqual({ focus: 1, toggle: null });
    expect(moveInTree(rows, 0, 'ArrowLeft', open)).toEqual({ focus: 0, toggle: 'close' });
    expect(moveInTree(rows, 2, 'End', open)?.focus).toBe(rows.length - 1);
    const closed = new Set(['s1']);
    const fewer = visibleRows(tree, closed);
    expect(fewer.map((row) => row.node.session)).toEqual(['s0', 's1']);
    expect(moveInTree(fewer, 1, 'ArrowRight', closed)).toEqual({ focus: 1, toggle: 'open' });
    expect(moveInTree(rows, 0, 'x', open)).toBeNull();
  });
});

describe('the list', () => {
  it('draws a few of ten thousand rows, wherever it is scrolled', () => {
    fc.assert(
      fc.property(fc.nat(600_000), (scrolled) => {
        const { first, last } = sliceInSight(10_000, 58, scrolled, 700);
        expect(last - first).toBeLessThan(40);
        expect(first).toBeGreaterThanOrEqual(0);
        expect(last).toBeLessThanOrEqual(10_000);
      }),
    );
  });

  it('moves inside its ends', () => {
    expect(rowAfter('j', 9, 10, 5)).toBe(9);
    expect(rowAfter('k', 0, 10, 5)).toBe(0);
    expect(rowAfter('PageDown', 2, 10, 5)).toBe(7);
    expect(rowAfter('Home', 7, 10, 5)).toBe(0);
    expect(rowAfter('a', 7, 10, 5)).toBeNull();
  });
});

describe('messages with boundaries', () => {
  it('puts each boundary before the first message it covers and loses no message', () => {
    const rows = rowsOf(messages, blocks);
    expect(rows.filter((row) => row.kind === 'message')).toHaveLength(messages.length);
    expect(rows[0]).toMatchObject({ kind: 'boundary', block: { blockId: 'b1' } });
    expect(rows[12]).toMatchObject({ kind: 'boundary', block: { blockId: 'b2' } });
    expect(new Set(rows.map(rowKey)).size).toBe(rows.length);
  });
});

describe('addresses', () => {
  it('come back as they went out, whatever the ids hold', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }),
        fc.constantFrom(...TABS),
        fc.option(fc.string({ minLength: 1 })),
        (id, tab, block) => {
          const route = { place: 'session' as const, session: id, tab, block };
          expect(parseRoute(renderRoute(route))).toEqual(route);
        },
      ),
    );
  });

  it('take anything unknown for the list', () => {
    for (const hash of ['', '#', '#/nowhere', '#/session', '#/session/'])
      expect(parseRoute(hash)).toEqual({ place: 'sessions' });
    expect(parseRoute('#/session/%zz')).toMatchObject({ session: '%zz' });
  });
});

describe('sites', () => {
  it('are those with conversations and those granted, without wildcards or our own loopback right', () => {
    const granted = ['https://a.example/*', 'https://*/*', 'http://127.0.0.1/*', 'http://localhost/*'];
    expect(sitesOf(granted, ['http://localhost:8080', null])).toEqual(['http://localhost:8080', 'https://a.example']);
  });
});

describe('settings and events', () => {
  it('take whole days only', () => {
    expect(retentionOf('30')).toBe(30);
    for (const typed of ['', ' ', '0', '-1', '1.5', 'x', '4000']) expect(retentionOf(typed), typed).toBeNull();
  });

  it('tell facts in words, codes as sentences', () => {
    expect(eventFacts({ kind: 'fold-failed', data: { code: 'not-smaller', wait: 2 } })).toEqual([
      'the summary was not shorter than half of its source',
      'turns to wait: 2',
    ]);
    expect(eventFacts({ kind: 'turn', data: { via: 'new', received: 12_400, cached: null, recent: 5 } })).toEqual([
      'matched by: nothing earlier: a new conversation',
      'page wrote: 12.4k',
    ]);
  });
});
