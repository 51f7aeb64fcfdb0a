import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drive, driveAsync, sha256 } from '#base/digest';
import { type Chains, chainsOf, continues, emptyChain, extendChain } from '#chain/chain';
import { canonOf } from '#neutral/canon';
import { project } from '#neutral/project';
import { DOMAINS } from '#neutral/turn';
import {
  assistant,
  dialogue,
  type ExchangeSketch,
  exchange,
  type MessageSketch,
  reasoning,
  system,
  user,
} from '../arbitrary/exchange.ts';
import { nativeSha256 } from '../arbitrary/hash.ts';
import { contentMessage, frame, sprinkled, systemMessage } from '../arbitrary/histories.ts';

const chains = (messages: readonly MessageSketch[], sketch: ExchangeSketch = {}): Chains =>
  drive(chainsOf(exchange(messages, sketch)), nativeSha256);
const links = (messages: readonly MessageSketch[], sketch: ExchangeSketch = {}) => {
  const both = chains(messages, sketch);
  return [both[2].links, both[3].links];
};
const history = fc.array(contentMessage, { maxLength: 8 });

describe('environment never moves a link', () => {
  it('not model, tools, budget or the system text of the request', () => {
    fc.assert(
      fc.property(history, fc.string(), (messages, text) => {
        expect(
          links(messages, { model: text, tools: `[{"name":${JSON.stringify(text)}}]`, system: text, maxOutput: 9 }),
        ).toEqual(links(messages));
      }),
      { numRuns: 1_000 },
    );
  });

  it('not a leading run of system messages and client frames', () => {
    fc.assert(
      fc.property(history, fc.array(fc.oneof(systemMessage, frame), { maxLength: 4 }), (messages, leading) => {
        expect(links([...leading, ...messages])).toEqual(links(messages));
      }),
      { numRuns: 1_000 },
    );
  });

  it('not a client frame anywhere', () => {
    fc.assert(
      fc.property(
        history.chain((messages) => sprinkled(messages, frame).map((more) => [messages, more] as const)),
        ([messages, more]) => {
          expect(links(more)).toEqual(links(messages));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('not a system message anywhere: in domain 3, and on the Responses wire in both', () => {
    fc.assert(
      fc.property(
        history.chain((messages) => sprinkled(messages, systemMessage).map((more) => [messages, more] as const)),
        ([messages, more]) => {
          expect(chains(more)[3].links).toEqual(chains(messages)[3].links);
          expect(links(more, { wire: 'openai-responses' })).toEqual(links(messages, { wire: 'openai-responses' }));
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe('a chain', () => {
  it('has equal links exactly where all turns so far are equal', () => {
    fc.assert(
      fc.property(history, history, fc.nat(8), (a, b, shared) => {
        const [first, second] = [a, [...a.slice(0, shared), ...b]];
        for (const domain of DOMAINS) {
          const forms = [first, second].map((messages) => project(exchange(messages), domain).turns.map(canonOf));
          const [one, other] = [chains(first)[domain].links, chains(second)[domain].links];
          for (let index = 0; index < Math.min(one.length, other.length); index += 1) {
            const equal = JSON.stringify(forms[0]?.slice(0, index + 1)) === JSON.stringify(forms[1]?.slice(0, index + 1));
            expect(one[index] === other[index]).toBe(equal);
          }
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('is the same whether built at once or turn by turn', () => {
    fc.assert(
      fc.property(history, (messages) => {
        for (const domain of DOMAINS) {
          const { turns, spans } = project(exchange(messages), domain);
          let chain = emptyChain(domain);
          for (const [index, turn] of turns.entries()) {
            chain = drive(extendChain(chain, { turns: [turn], spans: [spans[index] ?? []] }), sha256);
          }
          expect(chain).toEqual(chains(messages)[domain]);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('is the same with a synchronous and an asynchronous hash', async () => {
    const asked = exchange([user('q'), assistant(reasoning('r'), 'a'), system('s'), user('t')]);
    expect(await driveAsync(chainsOf(asked), async (data) => sha256(data))).toEqual(drive(chainsOf(asked), sha256));
  });

  it('hashes nothing twice that both domains spell alike', () => {
    const count = (messages: readonly MessageSketch[]): number => {
      let hashed = 0;
      drive(chainsOf(exchange(messages)), (data) => {
        hashed += 1;
        return sha256(data);
      });
      return hashed;
    };
    expect(count(dialogue('a', 'b', 'c', 'd', 'e'))).toBe(10);
    // Four items and four links, and from the answer on the links of domain 3 part: one more item, two more links.
    expect(count([user('a'), user('b'), assistant(reasoning('r'), 'c'), user('d')])).toBe(4 + 4 + 1 + 2);
  });

  it('tells which messages its turns account for, alike in both domains', () => {
    const messages = [system('s'), user('a'), assistant('b'), assistant('c'), system('t'), user('d')];
    expect(chains(messages)[2].covers).toEqual([2, 4, 5, 6]);
    expect(chains(messages)[3].covers).toEqual([2, 4, 6]);
  });

  it('keeps roles, sizes and items beside its links', () => {
    const chain = chains([user('a'), assistant('b')])[2];
    expect(chain.roles).toEqual(['user', 'assistant']);
    expect(chain.sizes).toEqual(['{"content":"a","role":"user"}'.length, '{"content":"b","role":"assistant"}'.length]);
    expect(chain.items[1]).toBe(sha256('{"content":"b","role":"assistant"}'));
    expect(chain.links[0]).toBe(sha256('\u0000{"content":"a","role":"user"}'));
  });

  it('continues another when it begins with all of it, in either domain', () => {
    const [short, long] = [chains(dialogue('a', 'b', 'c')), chains(dialogue('a', 'b', 'c', 'd', 'e'))];
    expect(continues(long, short)).toBe(true);
    expect(continues(short, short)).toBe(true);
    expect(continues(short, long)).toBe(false);
    expect(continues(chains(dialogue('a', 'x', 'c', 'd', 'e')), short)).toBe(false);
    expect(continues(long, chains([]))).toBe(false);
    const thinking = chains([user('a'), assistant(reasoning('r'), 'b'), user('c')]);
    expect(continues(long, thinking)).toBe(true);
  });
});
