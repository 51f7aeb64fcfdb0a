/**
 * Byte credits of one stream: the reader says how many bytes it has room for; at zero the provider's socket is paused. So a slow
 * page costs at most one window of memory, counted in bytes.
 */
import type { Call } from '../upstream/call.ts';

/** Bytes that may be under way before the first credit arrives. */
const INITIAL_WINDOW = 1024 * 1024;

export interface Flow {
  /** The call whose reading is to be paused and resumed. */
  use(call: Call): void;
  /** These bytes went out. */
  sent(bytes: number): void;
  /** The reader consumed these bytes. */
  credit(bytes: number): void;
}

export function createFlow(): Flow {
  let room = INITIAL_WINDOW;
  let call: Call | null = null;
  let paused = false;
  return {
    use(next) {
      call = next;
      if (paused) next.pause();
    },
    sent(bytes) {
      room -= bytes;
      if (room > 0 || paused) return;
      paused = true;
      call?.pause();
    },
    credit(bytes) {
      // Never more than one window: a reader that credits what it did not read gains nothing.
      room = Math.min(INITIAL_WINDOW, room + bytes);
      if (room <= 0 || !paused) return;
      paused = false;
      call?.resume();
    },
  };
}
