import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PageToContent } from '../../src/messages.ts';
import { createExchange } from '../../src/page/exchange.ts';

function watched(shows = true) {
  const log: string[] = [];
  const sent: PageToContent[] = [];
  const exchange = createExchange(7, {
    native: (code) => log.push(`native:${code}`),
    resolve: () => {
      log.push(shows ? 'resolve' : 'hidden');
      if (!shows) throw new TypeError('not to be shown');
    },
    reject: (reason) => log.push(`reject:${reason instanceof Error ? reason.message : reason}`),
    push: (chunks) => log.push(`push:${chunks.length}`),
    end: () => log.push('end'),
    fail: (reason, at) => log.push(`fail:${reason instanceof Error ? reason.message : reason}:${at}`),
    send: (message) => sent.push(message),
  });
  return { log, sent, exchange };
}
const head = (status = 200) => ({ t: 'head' as const, id: 7, status, statusText: '', headers: [] });
const bytes = { t: 'chunks' as const, id: 7, chunks: [new Uint8Array([1])] };

describe('an exchange', () => {
  it('delivers head, chunks and end in order and is done', () => {
    const { log, exchange } = watched();
    for (const message of [{ t: 'taken' as const, id: 7 }, head(), bytes, { t: 'end' as const, id: 7 }])
      exchange.receive(message);
    expect(log).toEqual(['resolve', 'push:1', 'end']);
    expect(exchange.state).toBe('done');
  });

  it('goes native before the head, and never after it', () => {
    const before = watched();
    before.exchange.receive({ t: 'native', id: 7, code: 'not-a-wire' });
    before.exchange.receive(head());
    expect(before.log).toEqual(['native:not-a-wire']);

    const after = watched();
    after.exchange.receive(head());
    after.exchange.receive({ t: 'native', id: 7, code: 'late' });
    after.exchange.leave('detached');
    expect(after.log).toEqual(['resolve', 'fail:network error:behind']);
    expect(after.sent).toEqual([{ t: 'abort', id: 7 }]);
  });

  it('fails like a network error, and never hangs, when the page broke what its Response is built from', () => {
    const rejected: unknown[] = [];
    const sent: PageToContent[] = [];
    const nothing = () => undefined;
    const exchange = createExchange(7, {
      native: nothing,
      resolve: () => {
        throw new Error('broken by the page');
      },
      reject: (reason) => rejected.push(reason),
      push: nothing,
      end: nothing,
      fail: nothing,
      send: (message) => sent.push(message),
    });
    exchange.receive(head());
    expect(rejected).toEqual([new TypeError('Failed to fetch')]);
    expect(sent).toEqual([{ t: 'abort', id: 7 }]);
  });

  it('lets the browser follow a redirect by itself', () => {
    const { log, sent, exchange } = watched();
    exchange.receive(head(307));
    expect(log).toEqual(['native:redirect']);
    expect(sent).toEqual([{ t: 'abort', id: 7 }]);
  });

  it('rejects as the browser does when the answer may not be shown', () => {
    const { log, sent, exchange } = watched(false);
    exchange.receive(head());
    expect(log).toEqual(['hidden', 'reject:Failed to fetch']);
    expect(sent).toEqual([{ t: 'abort', id: 7 }]);
  });

  it('gives the reason of the abort to whoever waits, and tells the other side', () => {
    const waiting = watched();
    waiting.exchange.abort('why');
    expect(waiting.log).toEqual(['reject:why']);
    const reading = watched();
    reading.exchange.receive(head());
    reading.exchange.abort('why');
    expect(reading.log).toEqual(['resolve', 'fail:why:once']);
    expect([...waiting.sent, ...reading.sent]).toEqual([
      { t: 'abort', id: 7 },
      { t: 'abort', id: 7 },
    ]);
  });

  it('never fakes a beginning: bytes or an end without a head are an error, not a second request', () => {
    for (const message of [bytes, { t: 'end' as const, id: 7 }]) {
      const { log, exchange } = watched();
      exchange.receive(message);
      expect(log).toEqual(['reject:Failed to fetch']);
    }
  });

  it('settles the page exactly once, and never pushes after the stream is closed, in any order of events', () => {
    const event = fc.constantFrom('taken', 'native', 'head', 'redirect', 'chunks', 'end', 'error', 'abort', 'cancel', 'leave');
    fc.assert(
      fc.property(fc.array(event, { maxLength: 12 }), (events) => {
        const { log, exchange } = watched();
        for (const name of events) {
          if (name === 'abort') exchange.abort('why');
          else if (name === 'cancel') exchange.cancel();
          else if (name === 'leave') exchange.leave('detached');
          else if (name === 'head') exchange.receive(head());
          else if (name === 'redirect') exchange.receive(head(302));
          else if (name === 'chunks') exchange.receive(bytes);
          else if (name === 'native') exchange.receive({ t: 'native', id: 7, code: 'x' });
          else if (name === 'error') exchange.receive({ t: 'error', id: 7, message: 'x' });
          else exchange.receive({ t: name, id: 7 } as { t: 'taken' | 'end'; id: number });
        }
        const settled = log.filter((entry) => /^(native|resolve|reject)/.test(entry));
        expect(settled.length).toBeLessThanOrEqual(1);
        const closed = log.findIndex((entry) => /^(end|fail)/.test(entry));
        if (closed >= 0) expect(log.slice(closed).some((entry) => entry.startsWith('push'))).toBe(false);
        if (log.some((entry) => /^(push|end|fail)/.test(entry))) expect(settled).toEqual(['resolve']);
      }),
    );
  });
});
