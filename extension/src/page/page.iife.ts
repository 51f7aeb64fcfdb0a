/**
 * The script in the page's own world: one synchronous IIFE at document start, on enabled sites only. It holds no secret and no state
 * of other pages; whatever it is asked or told is treated as "the page said".
 *
 * Invariant: at most one patch, however often it is injected: a newer instance restores the one before it.
 * Failure direction: without a content script that answers, the page is as if nothing had been injected.
 */
import { createBridge } from './bridge.ts';
import { patchFetch } from './patch-fetch.ts';
import { patchXhr } from './patch-xhr.ts';
import { takeFetch } from './take.ts';
import { watchWorkers } from './watch-workers.ts';

declare const __VERSION__: string;

interface Installed {
  readonly version: string;
  restore(): void;
}

const MARK = Symbol.for('throughline');
const scope = window as typeof window & { [MARK]?: Installed };

// Sandboxed documents have no origin that a person could have enabled.
if (scope.origin !== 'null') install();

function install(): void {
  scope[MARK]?.restore();
  const restores: (() => void)[] = [];
  const restore = () => {
    for (const undo of restores.splice(0)) undo();
    if (scope[MARK] === installed) delete scope[MARK];
  };
  const installed: Installed = { version: __VERSION__, restore };
  const bridge = createBridge(scope, __VERSION__, restore);
  const context = () => ({ base: document.baseURI, origin: scope.origin, cookies: () => document.cookie });
  restores.push(
    patchFetch(scope, (args, native) => takeFetch(args, native, bridge, context())),
    patchXhr(scope, bridge, context),
    watchWorkers(scope, () => bridge.send({ t: 'passed', code: 'worker', url: location.href })),
  );
  Object.defineProperty(scope, MARK, { value: installed, configurable: true });
}
