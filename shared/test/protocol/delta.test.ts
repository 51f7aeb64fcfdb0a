import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyDelta, computeDelta, deltaMiddle } from '../../src/protocol/delta.ts';

const bytes = fc.uint8Array({ maxLength: 200, max: 3 });

describe('delta', () => {
  it('rebuilds the next body from any base', () => {
    fc.assert(
      fc.property(bytes, bytes, (base, next) => {
        const delta = computeDelta(base, next);
        expect(applyDelta(base, delta.prefix, delta.suffix, deltaMiddle(next, delta))).toEqual(next);
      }),
    );
  });

  it('sends only what was inserted between a kept start and a kept end', () => {
    fc.assert(
      fc.property(bytes, bytes, bytes, (start, inserted, end) => {
        const base = Uint8Array.from([...start, ...end]);
        const next = Uint8Array.from([...start, ...inserted, ...end]);
        const delta = computeDelta(base, next);
        expect(deltaMiddle(next, delta).length).toBe(inserted.length);
      }),
    );
  });

  it('never takes the same byte of the base twice', () => {
    fc.assert(
      fc.property(bytes, bytes, (base, next) => {
        const { prefix, suffix } = computeDelta(base, next);
        expect(prefix + suffix).toBeLessThanOrEqual(Math.min(base.length, next.length));
      }),
    );
  });

  it('refuses a delta that is longer than its base', () => {
    const base = Uint8Array.from([1, 2, 3]);
    expect(applyDelta(base, 2, 2, new Uint8Array(0))).toBeNull();
    expect(applyDelta(base, -1, 0, new Uint8Array(0))).toBeNull();
    expect(applyDelta(base, 3, 0, new Uint8Array(0))).toEqual(base);
  });
});
