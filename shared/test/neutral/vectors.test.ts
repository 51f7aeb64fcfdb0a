import { describe, expect, it } from 'vitest';
import { canonicalArguments } from '#base/canonical';
import { drive, sha256 } from '#base/digest';
import { chainsOf } from '#chain/chain';
import { canonOf } from '#neutral/canon';
import { project } from '#neutral/project';
import type { Domain } from '#neutral/turn';
import {
  assistant,
  call,
  dialogue,
  exchange,
  type MessageSketch,
  media,
  reasoning,
  refusal,
  result,
  tool,
  user,
} from '../arbitrary/exchange.ts';
import vectors from '../vectors/identity.json' with { type: 'json' };

const canons = (messages: readonly MessageSketch[], domain: Domain): string[] =>
  project(exchange(messages), domain).turns.map(canonOf);
const chains = (messages: readonly MessageSketch[]) => drive(chainsOf(exchange(messages)), sha256);

const withCalls: MessageSketch[] = [
  user('look at this\n'),
  assistant(reasoning('I should search.'), 'Let me look.', call('search', '{"q":1,"tags":["b","a"]}'), call('now')),
  tool(result('found')),
  tool(result('12:00')),
  assistant(reasoning('Done thinking.'), 'It is noon.'),
];

const image = `sha256:${sha256(Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))}`;
const shapes: { readonly [what: string]: MessageSketch } = {
  'text and an image (8 bytes of PNG signature) in one user message': user('see: ', media(image)),
  'an image by URL': user(media('url:https://example.com/a.png')),
  'author name': { ...user('hi'), name: 'ana' },
  refusal: assistant(refusal('No.')),
  'a call whose arguments are not JSON': assistant(call('f', canonicalArguments('{"a":'))),
  'lone surrogate': user('\ud800'),
  'opaque (unknown message, whole, keys sorted)': { role: 'unknown', parts: [], opaque: '{"type":"mystery","x":1}' },
};

describe('frozen vectors', () => {
  it('plain text has the same form and links in both domains', () => {
    const messages = dialogue('hello there friend', 'hi', 'second question');
    for (const domain of [2, 3] as const) {
      expect(canons(messages, domain)).toEqual(vectors.plain.canon);
      expect(chains(messages)[domain].items).toEqual(vectors.plain.item);
      expect(chains(messages)[domain].links).toEqual(vectors.plain.link);
    }
  });

  it('calls and reasoning have their forms and links in each domain', () => {
    const frozen = vectors.calls_with_reasoning;
    expect(canons(withCalls, 2)).toEqual(frozen.hv2.canon);
    expect(canons(withCalls, 3)).toEqual(frozen.hv3.canon);
    expect(chains(withCalls)[2].links).toEqual(frozen.hv2.link);
    expect(chains(withCalls)[3].links).toEqual(frozen.hv3.link);
  });

  it.each(vectors.shapes)('the form of $what', ({ what, canon, item }) => {
    const message = shapes[what];
    if (message === undefined) throw new Error(`no message for the vector "${what}"`);
    for (const domain of [2, 3] as const) {
      expect(canons([message], domain)).toEqual([canon]);
      expect(chains([message])[domain].items).toEqual([item]);
    }
  });

  it.each(vectors.numbers)('the form of the arguments $source', ({ source, canonOfArguments }) => {
    expect(canonicalArguments(source)).toBe(canonOfArguments);
    expect(canons([assistant(call('f', canonicalArguments(source)))], 2)).toEqual([
      `{"content":[{"arguments":${canonOfArguments},"name":"f"}],"role":"assistant"}`,
    ]);
  });
});
