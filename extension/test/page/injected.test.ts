/** The page script, injected more than once: by a new version, after a reload of the extension, or by mistake. */
import { afterEach, expect, it, vi } from 'vitest';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

it('there is one patch however often it is injected, and it leaves everything as it was', async () => {
  const native = vi.fn(async () => new Response('native'));
  class Xhr extends EventTarget {
    open() {
      return undefined;
    }
    send() {
      return undefined;
    }
  }
  const { open, send } = Xhr.prototype;
  const handed: unknown[] = [];
  const page = {
    ...{ window: globalThis, origin: 'https://chat.example', __VERSION__: '1', fetch: native, XMLHttpRequest: Xhr },
    ...{ ProgressEvent: Event, document: { baseURI: 'https://chat.example/', cookie: '' }, location: { href: '' } },
    postMessage: (message: unknown) => void handed.push(message),
  };
  for (const [name, value] of Object.entries(page)) vi.stubGlobal(name, value);
  const mark = Symbol.for('throughline');
  const scope = globalThis as unknown as Record<symbol, { restore(): void } | undefined>;
  const instances = new Set<unknown>();
  for (let times = 0; times < 3; times += 1) {
    vi.resetModules();
    await import('../../src/page/page.iife.ts');
    instances.add(scope[mark]);
    expect(globalThis.fetch).not.toBe(native);
    expect(Xhr.prototype.send).not.toBe(send);
  }
  // Each is a new one, and each said hello once.
  expect(instances.size).toBe(3);
  expect(handed).toEqual([{ throughline: '1' }, { throughline: '1' }, { throughline: '1' }]);

  // What is no wire's request passes one patch, not three.
  await fetch('https://chat.example/else');
  expect(native.mock.calls).toEqual([['https://chat.example/else']]);

  scope[mark]?.restore();
  expect(scope[mark]).toBeUndefined();
  expect([globalThis.fetch, globalThis.XMLHttpRequest, Xhr.prototype.open, Xhr.prototype.send]).toEqual([
    native,
    Xhr,
    open,
    send,
  ]);
});
