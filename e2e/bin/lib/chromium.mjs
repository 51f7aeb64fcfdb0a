/**
 * Opens Chromium with the extension and a profile of its own, and speaks to it over a private pipe, so that pages open only when the
 * extension is there. (A page given on the command line can load before the extension does.)
 */
import { spawn } from 'node:child_process';
import { adopt } from './children.mjs';

const READY = 60_000;

/** A DevTools connection over the pipes 3 and 4: only we hold its ends. */
function connect(child) {
  const waiting = new Map();
  const listeners = new Set();
  let next = 1;
  let rest = '';
  child.stdio[4].setEncoding('utf8').on('data', (text) => {
    const messages = (rest + text).split('\0');
    rest = messages.pop();
    for (const message of messages.map((one) => JSON.parse(one))) {
      if (message.id === undefined) for (const listener of listeners) listener(message);
      else waiting.get(message.id)?.(message.result ?? {});
      waiting.delete(message.id);
    }
  });
  child.stdio[3].on('error', () => {
    // The browser is gone: nobody is left to tell.
  });
  return {
    send: (method, params = {}, sessionId = undefined) =>
      new Promise((resolve) => {
        waiting.set(next, resolve);
        child.stdio[3].write(`${JSON.stringify({ id: next, method, params, sessionId })}\0`);
        next += 1;
      }),
    listen: (listener) => listeners.add(listener),
  };
}

/** Starts it; `open(url)` opens a tab, `close(tab)` closes it, `ended` resolves when the person closes the browser. */
export async function openChromium(path, { extension, profile }) {
  const args = [
    `--user-data-dir=${profile}`,
    `--load-extension=${extension}`,
    '--no-first-run',
    '--no-default-browser-check',
    '--remote-debugging-pipe',
    // Chromium refuses to run as root with its sandbox.
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ...(process.env.THROUGHLINE_HEADLESS === '1' ? ['--headless=new'] : []),
    'about:blank',
  ];
  const child = adopt(spawn(path, args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] }));
  const ended = new Promise((resolve) => {
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
  const pipe = connect(child);
  const ready = new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), READY);
    pipe.listen(({ method, params }) => {
      if (method !== 'Target.targetCreated' || !params.targetInfo.url.startsWith('chrome-extension://')) return;
      clearTimeout(timer);
      resolve(true);
    });
  });
  await pipe.send('Target.setDiscoverTargets', { discover: true });
  const loaded = await Promise.race([ready, ended.then(() => false)]);
  return {
    loaded,
    ended,
    running: () => child.exitCode === null && child.signalCode === null,
    open: async (url) => (await pipe.send('Target.createTarget', { url })).targetId,
    close: (targetId) => pipe.send('Target.closeTarget', { targetId }),
    /** What an expression is worth in this tab. */
    evaluate: async (targetId, expression) => {
      const { sessionId } = await pipe.send('Target.attachToTarget', { targetId, flatten: true });
      const { result } = await pipe.send('Runtime.evaluate', { expression }, sessionId);
      await pipe.send('Target.detachFromTarget', { sessionId });
      return result?.value;
    },
  };
}
