/**
 * What every wire keeps to, whatever it is.
 *
 * W1 rendering nothing gives the source itself. W2 a plan touches only what it names. W3 exactly one wire recognises a request.
 * W4 decoding does not depend on where the chunks are cut. W5 a streamed answer and the same answer whole are one answer.
 * W6 what is unknown becomes opaque, and nothing makes a wire throw.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256 } from '#base/digest';
import { type JsonDocument, parseJson } from '#base/json';
import type { Exchange } from '#neutral/message';
import { wires } from '#wire/registry';
import type { Answer, RenderPlan, Wire } from '#wire/wire';
import type { Goldens } from '../golden/load.ts';

const POST = 'POST';

function documentOf(body: string): JsonDocument {
  const doc = parseJson(body);
  if (doc === null) throw new Error('the golden is JSON');
  return doc;
}

/** The exchange of a body on a wire. */
export function exchangeOf(wire: Wire, url: string, body: string): Exchange {
  return wire.parse({ method: POST, url }, documentOf(body), sha256);
}

/** Decodes an answer that comes in these chunks. */
export function decodeChunks(wire: Wire, contentType: string, chunks: readonly Uint8Array[]): Answer {
  const decoder = wire.decoder(contentType);
  for (const chunk of chunks) decoder.feed(chunk);
  return decoder.end();
}

/** Any plan for an exchange of so many messages, as a fold or anything else might make it. */
export function anyPlan(count: number): fc.Arbitrary<RenderPlan> {
  return fc.record({
    omit: fc.uniqueArray(fc.nat(Math.max(0, count - 1))).map((indexes) => new Set(indexes)),
    inserts: fc
      .array(fc.record({ before: fc.nat(count), text: fc.string({ unit: 'binary' }) }), { maxLength: 4 })
      .map((inserts) => inserts.toSorted((a, b) => a.before - b.before)),
  });
}

export function wireLaws(wire: Wire, goldens: Goldens): void {
  const head = { method: POST, url: goldens.url };

  describe(`${wire.id} keeps the laws of wires`, () => {
    describe.each(goldens.requests)('for the request $name', ({ body }) => {
      const exchange = exchangeOf(wire, goldens.url, body);
      const slices = exchange.messages.map((message) => body.slice(message.source.start, message.source.end));

      it('W1: rendering nothing gives the source itself', () => {
        expect(wire.render(exchange, { omit: new Set(), inserts: [] })).toBe(body);
      });

      it('W1: every message stands where its span says', () => {
        const held = (JSON.parse(body) as Record<string, unknown>)[goldens.list];
        const parsed = Array.isArray(held) ? held : [held];
        expect(slices.map((slice) => JSON.parse(slice) as unknown)).toEqual(parsed);
        expect(JSON.parse(body.slice(exchange.list.start, exchange.list.end))).toEqual(held);
      });

      it('W2: any plan gives JSON, with everything around the list and the last message as they were', () => {
        fc.assert(
          fc.property(anyPlan(exchange.messages.length), (plan) => {
            const rendered = wire.render(exchange, plan);
            const again = exchangeOf(wire, goldens.url, rendered);
            expect(rendered.startsWith(body.slice(0, exchange.list.start))).toBe(true);
            expect(rendered.endsWith(body.slice(exchange.list.end))).toBe(true);
            expect(again.environment.model).toBe(exchange.environment.model);
            expect(again.messages.at(-1)?.role).toBe(exchange.messages.at(-1)?.role);
            if (plan.inserts.length === 0 && plan.omit.size === 0) expect(rendered).toBe(body);
          }),
        );
      });

      it('W2: every block is sent once, in order, and only ever as the user', () => {
        fc.assert(
          fc.property(anyPlan(exchange.messages.length), (plan) => {
            const marked = plan.inserts.map((insert, index) => ({ ...insert, text: `⟦${index}⟧${insert.text}` }));
            const again = exchangeOf(wire, goldens.url, wire.render(exchange, { omit: plan.omit, inserts: marked }));
            const saidBy = (user: boolean): string =>
              again.messages
                .filter((message) => (message.role === 'user') === user)
                .flatMap((message) => message.parts.map((part) => (part.kind === 'text' ? part.text : '')))
                .join('\n\n');
            let rest = saidBy(true);
            for (const { text } of marked) {
              expect(rest).toContain(text);
              rest = rest.slice(rest.indexOf(text) + text.length);
            }
            expect(saidBy(true).match(/⟦\d+⟧/g) ?? []).toHaveLength(marked.length);
            expect(saidBy(false)).not.toMatch(/⟦\d+⟧/);
          }),
        );
      });

      it('W3: exactly this wire recognises it, wherever it is served', () => {
        for (const url of [
          head.url,
          `${head.url}/`,
          `${head.url}?key=k&x=/embeddings`,
          `http://127.0.0.1:8080/a/b${new URL(head.url).pathname}#f`,
        ]) {
          const recognisers = wires.filter((candidate) => candidate.recognise({ method: POST, url }, documentOf(body)));
          expect(recognisers.map((candidate) => candidate.id)).toEqual([wire.id]);
        }
      });

      it('W3: another method, path or shape is not recognised by any', () => {
        const doc = documentOf(body);
        const none = (method: string, url: string, document: JsonDocument): void =>
          expect(wires.filter((candidate) => candidate.recognise({ method, url }, document))).toEqual([]);
        none('GET', head.url, doc);
        none(POST, `${head.url}/count_tokens`, doc);
        none(POST, 'https://example.com/v1/embeddings', doc);
        for (const other of [
          '{}',
          '[]',
          '"messages"',
          `{"${goldens.list}":{}}`,
          '{"max_tokens":1,"prompt":"x"}',
          `{"${goldens.list}":[],${body.trim().slice(1)}`,
        ])
          none(POST, head.url, documentOf(other));
      });
    });

    describe.each(goldens.answers)('for the answer $name', ({ stream, whole }) => {
      const answer = decodeChunks(wire, 'text/event-stream', [stream]);

      it('W4: a stream means the same wherever it is cut', () => {
        for (let at = 0; at <= stream.length; at += 1)
          expect(decodeChunks(wire, 'text/event-stream', [stream.subarray(0, at), stream.subarray(at)])).toEqual(answer);
        expect(
          decodeChunks(
            wire,
            'text/event-stream',
            [...stream].map((byte) => Uint8Array.of(byte)),
          ),
        ).toEqual(answer);
      });

      it('W4: a stream means the same however its lines end, with a byte order mark or without', () => {
        const lines = new TextDecoder().decode(stream).split(/\r\n|\r|\n/);
        for (const ending of ['\n', '\r\n', '\r'])
          for (const mark of ['', '\ufeff']) {
            const text = new TextEncoder().encode(mark + lines.join(ending));
            const single = [...text].map((byte) => Uint8Array.of(byte));
            expect(decodeChunks(wire, 'text/event-stream', single)).toEqual(answer);
            const ends = [...text].flatMap((byte, at) => (byte === 10 || byte === 13 ? [at, at + 1] : []));
            for (const at of [1, 2, 3, ...ends])
              expect(decodeChunks(wire, '', [text.subarray(0, at), text.subarray(at)])).toEqual(answer);
          }
      });

      it('W4: a whole answer means the same wherever it is cut', () => {
        const reference = decodeChunks(wire, 'application/json', [whole]);
        for (let at = 0; at <= whole.length; at += 1)
          expect(decodeChunks(wire, 'application/json', [whole.subarray(0, at), whole.subarray(at)])).toEqual(reference);
      });

      it('W5: streamed and whole are one answer, whatever the content type claims', () => {
        expect(answer.outcome).toBe('complete');
        for (const type of ['application/json', 'text/event-stream', 'text/plain', ''])
          expect(decodeChunks(wire, type, [whole])).toEqual(answer);
        for (const type of ['text/event-stream; charset=utf-8', 'text/plain', 'application/json', ''])
          expect(decodeChunks(wire, type, [stream])).toEqual(answer);
      });

      it('W5: a stream that breaks off before its end is never complete with a different text', () => {
        for (let at = 0; at <= stream.length; at += 1) {
          const cut = decodeChunks(wire, 'text/event-stream', [stream.subarray(0, at)]);
          if (cut.outcome === 'complete') expect({ ...cut, usage: null }).toEqual({ ...answer, usage: null });
        }
      });
    });

    it('W6: whatever stands in the messages, nothing throws and nothing is lost', () => {
      fc.assert(
        fc.property(fc.array(strangeMessage), (messages) => {
          const base = JSON.parse(goldens.requests[0]?.body ?? '{}') as object;
          const strange = JSON.stringify({ ...base, [goldens.list]: messages });
          const parsed = exchangeOf(wire, goldens.url, strange);
          expect(parsed.messages).toHaveLength(messages.length);
          expect(wire.render(parsed, { omit: new Set(), inserts: [] })).toBe(strange);
          for (const message of parsed.messages) {
            const unknown = message.role === 'unknown' || message.parts.some((part) => part.kind === 'unknown');
            if (unknown) expect(message.opaque).toBeDefined();
          }
        }),
      );
    });

    it('W6: a decoder takes any bytes', () => {
      const rubble = fc.array(
        fc.oneof(
          fc.uint8Array({ maxLength: 40 }),
          fc
            .constantFrom(
              'data: ',
              '\n',
              '\r',
              '{"choices":[null]}',
              '{"type":"content_block_delta"}',
              'event: error\n',
              '[DONE]',
              '[]',
            )
            .map((text) => new TextEncoder().encode(text)),
        ),
      );
      fc.assert(
        fc.property(rubble, fc.constantFrom('text/event-stream', 'application/json', ''), (chunks, type) => {
          const answer = decodeChunks(wire, type, chunks);
          expect(['complete', 'incomplete', 'error']).toContain(answer.outcome);
        }),
      );
    });
  });
}

const strangeContent = fc.oneof(
  fc.string(),
  fc.jsonValue(),
  fc.array(
    fc.record(
      {
        type: fc.constantFrom(
          'text',
          'image',
          'image_url',
          'tool_use',
          'tool_result',
          'thinking',
          'file',
          'document',
          'mystery',
        ),
        text: fc.oneof(fc.string(), fc.jsonValue()),
        image_url: fc.oneof(fc.constantFrom('data:,%ff', 'data:x;base64,????', 'data:nothing'), fc.jsonValue()),
        source: fc.jsonValue(),
        input: fc.jsonValue(),
        name: fc.jsonValue(),
        content: fc.jsonValue(),
      },
      { requiredKeys: [] },
    ),
  ),
);

const strangeMessage = fc.oneof(
  fc.jsonValue(),
  fc.record(
    {
      role: fc.oneof(fc.constantFrom('user', 'assistant', 'system', 'tool', 'function', 'critic'), fc.jsonValue()),
      content: strangeContent,
      tool_calls: fc.oneof(
        fc.jsonValue(),
        fc.array(fc.record({ function: fc.jsonValue(), custom: fc.jsonValue() }, { requiredKeys: [] })),
      ),
      function_call: fc.jsonValue(),
      name: fc.jsonValue(),
    },
    { requiredKeys: [] },
  ),
);
