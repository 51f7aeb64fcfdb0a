import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFeed, createResponse } from '../../src/page/respond.ts';

const target = { url: 'https://api.example/v1/chat/completions?a=1#part', sameOrigin: false };
const feed = () =>
  createFeed(
    () => undefined,
    () => undefined,
  );

async function readAll(stream: ReadableStream<Uint8Array>): Promise<number[][]> {
  const reads: number[][] = [];
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return reads;
    reads.push([...value]);
  }
}

describe('a response', () => {
  it('gives every upstream chunk to the page as its own read, whatever it is split into', async () => {
    const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 9 }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(chunks, fc.integer({ min: 1, max: 4 }), async (all, together) => {
        const { stream, push, end } = feed();
        for (let i = 0; i < all.length; i += together) push(all.slice(i, i + together).map((chunk) => chunk.slice()));
        end();
        expect(await readAll(stream)).toEqual(all.map((chunk) => [...chunk]));
      }),
    );
  });

  it('survives chunks that are views into one buffer', async () => {
    const { stream, push, end } = feed();
    const shared = new Uint8Array([1, 2, 3, 4]);
    push([shared.subarray(0, 1), shared.subarray(1, 3), shared.subarray(3)]);
    end();
    expect(await readAll(stream)).toEqual([[1], [2, 3], [4]]);
  });

  it('credits bytes when the page takes them, not when they arrive', async () => {
    const credits: number[] = [];
    const { stream, push } = createFeed(
      (bytes) => credits.push(bytes),
      () => undefined,
    );
    push([new Uint8Array(10), new Uint8Array(20)]);
    await Promise.resolve();
    expect(credits).toEqual([]);
    await stream.getReader().read();
    expect(credits).toEqual([10]);
  });

  it('delivers what arrived and then the network error', async () => {
    const { stream, push, fail } = feed();
    push([new Uint8Array([1])]);
    fail(new TypeError('network error'), 'behind');
    const reader = stream.getReader();
    expect((await reader.read()).value).toEqual(new Uint8Array([1]));
    await expect(reader.read()).rejects.toThrow('network error');
  });

  it('drops what was not read when the page aborts', async () => {
    const { stream, push, fail } = feed();
    push([new Uint8Array([1])]);
    fail(new DOMException('stop', 'AbortError'), 'once');
    await expect(stream.getReader().read()).rejects.toThrow('stop');
  });

  it('serves and ends a reader that brings its own buffer', async () => {
    const { stream, push, end } = feed();
    push([new Uint8Array([1, 2])]);
    const reader = stream.getReader({ mode: 'byob' });
    expect((await reader.read(new Uint8Array(8))).value).toEqual(new Uint8Array([1, 2]));
    const last = reader.read(new Uint8Array(8));
    end();
    expect((await last).done).toBe(true);
  });

  it('ends a reader that is already waiting', async () => {
    const { stream, end, fail } = feed();
    const waiting = stream.getReader().read();
    end();
    fail(new Error('late'), 'once');
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  it('refuses a head that no browser lets through', () => {
    for (const wrong of [{ statusText: 'a\nb' }, { headers: [['bad name', '']] as [string, string][] }, { status: 101 }])
      expect(() => createResponse({ status: 200, statusText: '', headers: [], ...wrong }, target, feed().stream)).toThrow();
  });

  it('says when the page wants no more', async () => {
    let cancelled = 0;
    const { stream, push } = createFeed(
      () => undefined,
      () => cancelled++,
    );
    push([new Uint8Array([1])]);
    await stream.cancel();
    expect(cancelled).toBe(1);
  });

  it('looks like the native one, and so do its clones', async () => {
    const { stream, push, end } = feed();
    const head = { status: 201, statusText: 'Made', headers: [] };
    const response = createResponse(head, target, stream);
    push([new Uint8Array([104, 105])]);
    end();
    const clone = response.clone();
    for (const one of [response, clone]) {
      expect(one).toBeInstanceOf(Response);
      expect(one).toMatchObject({
        url: 'https://api.example/v1/chat/completions?a=1',
        type: 'cors',
        redirected: false,
        status: 201,
        ok: true,
      });
      expect(Object.keys(one)).toEqual([]);
    }
    expect(await clone.text()).toBe('hi');
    expect(await response.text()).toBe('hi');
    expect(response.bodyUsed).toBe(true);
  });

  it('has no body where the status has none', () => {
    for (const status of [204, 205, 304]) {
      const response = createResponse({ status, statusText: '', headers: [] }, { ...target, sameOrigin: true }, feed().stream);
      expect([response.status, response.body]).toEqual([status, null]);
    }
  });
});
