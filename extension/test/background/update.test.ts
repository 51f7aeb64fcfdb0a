/** A new version interrupts no answer, and does not wait for ever. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createUpdate } from '../../src/background/update.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp() {
  const state = { quiet: false, reloads: 0 };
  const update = createUpdate({ quiet: () => state.quiet, reload: () => state.reloads++, now: Date.now });
  return { state, update };
}

it('is taken at once when nothing is on its way', () => {
  const { state, update } = setUp();
  state.quiet = true;
  update();
  expect(state.reloads).toBe(1);
});

it('waits for the last answer, and is taken once', () => {
  const { state, update } = setUp();
  update();
  update();
  vi.advanceTimersByTime(9 * 60_000);
  expect(state.reloads).toBe(0);
  state.quiet = true;
  vi.advanceTimersByTime(20 * 60_000);
  expect(state.reloads).toBe(1);
});

it('is taken after ten minutes, whatever goes on', () => {
  const { state, update } = setUp();
  update();
  vi.advanceTimersByTime(10 * 60_000 - 1);
  expect(state.reloads).toBe(0);
  vi.advanceTimersByTime(1_001);
  expect(state.reloads).toBe(1);
});
