/**
 * A new version waits: it is taken when no answer is on its way, at the latest after ten minutes.
 *
 * Failure direction: an answer that outlasts the wait is cut off with an honest error, and nothing half-received is stored.
 */

const LONGEST_MS = 10 * 60_000;
const LOOK_MS = 1_000;

export interface UpdateWorld {
  readonly quiet: () => boolean;
  readonly reload: () => void;
  readonly now: () => number;
}

/** For `runtime.onUpdateAvailable`: reloads once; later calls change nothing. */
export function createUpdate(world: UpdateWorld): () => void {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    const until = world.now() + LONGEST_MS;
    const look = () => {
      if (world.quiet() || world.now() >= until) world.reload();
      else setTimeout(look, LOOK_MS);
    };
    look();
  };
}
