/**
 * Notices that the page works with workers, whose requests cannot be intercepted, so that the popup can say so.
 *
 * Invariant: a worker is started by the browser's own constructor with the page's own arguments. Failure direction: nothing is noticed.
 */
import { watchMade } from './replace.ts';

/** Calls `onWorker` at most once; the returned function stops watching. */
export function watchWorkers(scope: typeof globalThis, onWorker: () => void): () => void {
  let noticed = false;
  const notice = () => {
    if (!noticed) onWorker();
    noticed = true;
  };
  const undo = [watchMade(scope, 'Worker', notice), watchMade(scope, 'SharedWorker', notice)];
  try {
    if (scope.navigator.serviceWorker.controller) notice();
  } catch {
    // This document cannot have a service worker.
  }
  return () => {
    for (const back of undo) back();
  };
}
