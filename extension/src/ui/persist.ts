/**
 * Asks the browser, once, to keep our storage when the disk runs full. Only a page can ask; some browsers ask the person in turn.
 * Failure direction: not kept is what it was before, and Health says so.
 */
import { api } from '../platform.ts';

const ASKED = 'persistAsked';

export async function keepStorage(): Promise<void> {
  try {
    if (await navigator.storage.persisted()) return;
    if ((await api.storage.local.get(ASKED))[ASKED] === true) return;
    await api.storage.local.set({ [ASKED]: true });
    await navigator.storage.persist();
  } catch {
    // A browser without this API, or a profile that keeps nothing: Health shows what is true.
  }
}
