/**
 * Whether a connection that stands still has anyone at its other end. Every frame is a sign of life; when one is asked for and does
 * not come, the other side is quiet until it does. Quiet for too long is gone.
 */
import { PATIENCE } from './patience.ts';
import { within } from './within.ts';

interface Pulse {
  /** Something arrived. */
  beat(): void;
  /** Sends `question` and waits for anything to arrive. `onGone` is called when nothing has for long. */
  ask(question: () => boolean, ms: number, onGone: () => void): Promise<boolean>;
  /** True while it owes a sign of life. */
  quiet(): boolean;
}

export function createPulse(): Pulse {
  let waiting: ((alive: true) => void)[] = [];
  let gone: ReturnType<typeof setTimeout> | null = null;
  return {
    beat() {
      if (gone !== null) clearTimeout(gone);
      gone = null;
      const told = waiting;
      waiting = [];
      for (const tell of told) tell(true);
    },
    async ask(question, ms, onGone) {
      const beat = new Promise<true>((resolve) => {
        waiting.push(resolve);
      });
      if (!question()) return false;
      if (await within(beat, ms)) return true;
      gone ??= setTimeout(onGone, PATIENCE.silent);
      return false;
    },
    quiet: () => gone !== null,
  };
}
