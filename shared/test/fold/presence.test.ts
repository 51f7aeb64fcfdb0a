import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BlockId } from '#base/brand';
import { blockMessage } from '#fold/label';
import { outgoing } from '#fold/outgoing';
import {
  assistant,
  blockOver,
  call,
  calls,
  cores,
  exchangeOf,
  image,
  rendered,
  type Said,
  SUMMARY,
  system,
  text,
  tool,
  untouched,
  user,
} from './conversation.ts';

const send = (said: readonly Said[], ...blocks: Parameters<typeof outgoing>[2][number][]) => {
  const exchange = exchangeOf(said);
  const out = outgoing(exchange, cores(exchange), blocks);
  return { out, items: rendered(exchange, out.plan), raw: untouched(exchange) };
};
const history = [user('q1'), assistant('a1'), user('q2'), assistant('a2'), user('q3'), assistant('a3'), user('q4')];
const block = blockOver(exchangeOf(history), [0, 1, 2, 3]);

describe('a block stands only where all it covers is present', () => {
  it('hides its messages, stands in place of the earliest, and sends the rest as raw slices', () => {
    const { items, raw, out } = send(history, block);
    expect(items).toEqual([{ block: blockMessage(block) }, ...raw.slice(4)]);
    expect(out.blocks).toEqual([block]);
    expect(out.tokens.sent).not.toBe(out.tokens.received);
  });

  it('sends the covered words nowhere raw', () => {
    const { items } = send(history, block);
    for (const words of ['q1', 'a1', 'q2', 'a2']) {
      expect(items.filter((item) => typeof item === 'string' && item.includes(`"${words}"`))).toEqual([]);
    }
  });

  it('leaves the whole request raw after an edit, a deletion or an insertion inside, and stands again byte-identical', () => {
    const before = send(history, block).items;
    for (let i = 0; i < 4; i++) {
      const edited = history.with(i, user(`edited ${i}`));
      expect(send(edited, block).items).toEqual(send(edited).raw);
      const deleted = history.toSpliced(i, 1);
      expect(send(deleted, block).items).toEqual(send(deleted).raw);
      if (i === 0) continue;
      const inserted = history.toSpliced(i, 0, user('inserted'));
      expect(send(inserted, block).items).toEqual(send(inserted).raw);
    }
    expect(send(history, block).items).toEqual(before);
  });

  it('leaves other blocks standing when one is broken by an edit', () => {
    const later = blockOver(exchangeOf(history), [4, 5], { blockId: 'b2' as BlockId });
    const edited = history.with(1, assistant('edited'));
    const { items, raw, out } = send(edited, block, later);
    expect(items).toEqual([...raw.slice(0, 4), { block: blockMessage(later) }, ...raw.slice(6)]);
    expect(out.absent).toEqual([block]);
  });

  it('is byte-identical to the request when nothing stands', () => {
    for (const state of ['expanded', 'consumed', 'quarantined'] as const) {
      const { items, raw, out } = send(history, { ...block, state });
      expect(items).toEqual(raw);
      expect(out.plan.omit.size + out.plan.inserts.length).toBe(0);
      expect(out.tokens.sent).toBe(out.tokens.received);
    }
  });

  it('never sends fewer uncovered messages than it received, whatever was deleted or edited', () => {
    type Fate = 'keep' | 'drop' | 'edit';
    const fates = fc.array(fc.constantFrom<Fate>('keep', 'drop', 'edit'), { minLength: 7, maxLength: 7 });
    fc.assert(
      fc.property(fates, (chosen) => {
        const said = history.flatMap((one, i) => (chosen[i] === 'drop' ? [] : chosen[i] === 'edit' ? [user(`e${i}`)] : [one]));
        const { items, raw } = send(said, block);
        // It stands when all it covers is there and the person speaks next: without that, the answer after it is one unit with
        // the last covered one, or the last covered question is the newest.
        const stands = chosen.slice(0, 4).every((fate) => fate === 'keep') && said[4]?.role === 'user';
        expect(items).toEqual(stands ? [{ block: blockMessage(block) }, ...raw.slice(4)] : raw);
      }),
      { examples: [[['keep', 'keep', 'keep', 'keep', 'drop', 'keep', 'keep']]] },
    );
  });

  it('does not part two answers that a deleted question left side by side', () => {
    const deleted = history.toSpliced(4, 1);
    expect(send(deleted, block).items).toEqual(send(deleted).raw);
    expect(send([...deleted.slice(0, 4), ...history.slice(4)], block).items).toHaveLength(4);
  });
});

describe('repeats', () => {
  const twins = [user('continue'), assistant('a1'), user('continue'), assistant('a2'), user('continue')];
  const first = blockOver(exchangeOf(twins), [0, 1]);

  it('hides the covered instance only: a person who types the same words again is heard', () => {
    const { items, raw } = send(twins, first);
    expect(items).toEqual([{ block: blockMessage(first) }, ...raw.slice(2)]);
    const again = [...twins, assistant('a3'), user('continue')];
    expect(send(again, first).items.at(-1)).toBe(send(again).raw.at(-1));
  });

  it('sends everything raw when the covered earlier twin was deleted', () => {
    const deleted = twins.slice(1);
    expect(send(deleted, first).items).toEqual(send(deleted).raw);
  });

  it('does not let a later twin stand for a deleted one at the edge of the block', () => {
    const said = [user('q1'), assistant('Done.'), user('q2'), assistant('Done.'), user('q3')];
    const covered = blockOver(exchangeOf(said), [0, 1]);
    const deleted = said.toSpliced(1, 1);
    expect(send(deleted, covered).items).toEqual(send(deleted).raw);
  });

  it('sends raw when the covered run occurs twice', () => {
    const said = [user('go'), assistant('ok'), user('go'), assistant('ok'), user('end')];
    const covered = blockOver(exchangeOf(said), [0, 1]);
    expect(send(said, covered).items).toEqual(send(said).raw);
    const whole = blockOver(exchangeOf(said), [0, 1, 2, 3]);
    expect(send(said, whole).items).toHaveLength(2);
  });
});

describe('what a block may never do', () => {
  it('cover the last user message or anything after it', () => {
    for (const covered of [[6], [5, 6], [0, 1, 2, 3, 4, 5, 6]]) {
      expect(send(history, blockOver(exchangeOf(history), covered)).items).toEqual(send(history).raw);
    }
    const shorter = history.slice(0, 3);
    expect(send(shorter, blockOver(exchangeOf(history), [0, 1, 2])).items).toEqual(send(shorter).raw);
  });

  it('stand after the newest question, or change the last item', () => {
    const { items, raw } = send(history, block);
    expect(items.at(-1)).toBe(raw.at(-1));
    const prefilled = [...history, assistant('Sure, ')];
    expect(send(prefilled, block).items.slice(-2)).toEqual(send(prefilled).raw.slice(-2));
  });

  it('take a message that only carries tool results for the last thing the person said', () => {
    const carried: Said = { role: 'user', parts: [{ kind: 'result', text: 'r', callId: 'c' }] };
    const said = [user('q1'), assistant('a1'), user('q2'), calls(call('f', '{}', 'c')), carried];
    expect(send(said, blockOver(exchangeOf(said), [2, 3])).items).toEqual(send(said).raw);
    expect(send(said, blockOver(exchangeOf(said), [0, 1])).items).toHaveLength(4);
  });

  it('part a call from its result, or cover half a message', () => {
    const said = [user('q1'), calls(text('t'), call('f', '{}', 'c')), tool('r', 'c'), assistant('a1'), user('q2')];
    const exchange = exchangeOf(said);
    for (const covered of [[0, 1], [2], [2, 3], [1]])
      expect(send(said, blockOver(exchange, covered)).items).toEqual(send(said).raw);
    const whole = blockOver(exchange, [0, 1, 2, 3]);
    expect(send(said, whole).items).toHaveLength(2);
    const half = { ...whole, effectiveIds: whole.effectiveIds.toSpliced(1, 1) };
    expect(send(said, half).items).toEqual(send(said).raw);
  });

  it('share a message with another block', () => {
    const exchange = exchangeOf(history);
    const one = blockOver(exchange, [0, 1, 2, 3]);
    const two = blockOver(exchange, [2, 3, 4, 5], { blockId: 'b2' as BlockId });
    const { out, items, raw } = send(history, one, two);
    expect(out.blocks).toEqual([one]);
    expect(items).toEqual([{ block: blockMessage(one) }, ...raw.slice(4)]);
  });

  it('drop the system prompt or a client note inside its range', () => {
    const said = [system('You are a pirate'), ...history.slice(0, 2), system('note'), ...history.slice(2)];
    const { items, raw } = send(said, blockOver(exchangeOf(history), [0, 1, 2, 3]));
    expect(items).toEqual([raw[0], { block: blockMessage(block) }, raw[3], ...raw.slice(6)]);
  });
});

describe('blocks of a higher tier', () => {
  const said = [user('q1'), assistant('a1'), image(), assistant('a pig'), user('q2'), assistant('a2'), user('q3')];
  const exchange = exchangeOf(said);
  const one = blockOver(exchange, [0, 1], { state: 'consumed' });
  const two = blockOver(exchange, [4, 5], { blockId: 'b2' as BlockId, state: 'consumed' });
  const parent = blockOver(exchange, [0, 1, 4, 5], {
    blockId: 'b3' as BlockId,
    tier: 2,
    directIds: [],
    directBlockIds: ['b1', 'b2'] as BlockId[],
    summary: `${SUMMARY} Twice.`,
  });

  it('find each of their runs and send what stands between', () => {
    const { items, raw } = send(said, one, two, parent);
    expect(items).toEqual([{ block: blockMessage(parent) }, raw[2], raw[3], raw[6]]);
  });

  it('are absent when one run is broken', () => {
    const edited = said.with(5, assistant('edited'));
    expect(send(edited, one, two, parent).items).toEqual(send(edited).raw);
  });
});
