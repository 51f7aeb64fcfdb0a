import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BlockId } from '#base/brand';
import { backoffTurns, DEFAULT_FOLD } from '#fold/budget';
import { ledgerOf } from '#fold/ledger';
import { outgoing } from '#fold/outgoing';
import { unitsOf } from '#fold/pairs';
import {
  assistant,
  blockFrom,
  blockOver,
  call,
  calls,
  cores,
  exchangeOf,
  image,
  isPlan,
  long,
  planned,
  rendered,
  result,
  type Said,
  system,
  tool,
  untouched,
  user,
} from './conversation.ts';

const turns = (count: number, words = 60): Said[] =>
  Array.from({ length: count }, (_, i) => [user(long(`q${i}-`, words)), assistant(long(`a${i}-`, words))]).flat();
const plan = (...args: Parameters<typeof planned>) => {
  const made = planned(...args);
  if (!isPlan(made)) throw new Error(`a plan was expected, not ${made.nothing}`);
  return made;
};

/** One turn of a person in many shapes; ids are unique by `n`. */
const turnShape = fc.constantFrom(
  'plain',
  'calls',
  'batch',
  'idless',
  'thinking',
  'media',
  'split',
  'orphan',
  'note',
  'repeat',
  'carried',
);
function shaped(shape: string, n: number): Said[] {
  const ask = user(shape === 'repeat' ? 'continue' : long(`q${n}-`, 12));
  const end = assistant(shape === 'repeat' ? 'ok' : long(`a${n}-`, 12));
  switch (shape) {
    case 'calls':
      return [ask, calls(call('f', '{}', `c${n}`)), tool('r', `c${n}`), end];
    case 'batch':
      return [ask, calls(call('f', '{}', 'c1'), call('g', '{}', 'c2')), tool('r1', 'c1'), tool('r2', 'c2'), end];
    case 'idless':
      return [ask, calls(call('f', '{}'), call('f', '{"x":1}')), tool('r1'), tool('r2'), end];
    case 'thinking':
      return [ask, { role: 'assistant', parts: [{ kind: 'reasoning', text: `hm ${n}` }] }, end];
    case 'media':
      return [image(`sha256:${n}`), end];
    case 'split':
      return [
        ask,
        calls(call('f', '{}', `c${n}`)),
        calls(call('g', '{}', `d${n}`)),
        tool('r', `c${n}`),
        tool('s', `d${n}`),
        end,
      ];
    case 'orphan':
      return [ask, calls(call('f', '{}', `c${n}`))];
    case 'note':
      return [system(`note ${n}`), ask, end];
    case 'carried':
      return [ask, calls(call('f', '{}', `c${n}`)), { role: 'user', parts: [result('r', `c${n}`)] }, end];
    default:
      return [ask, end];
  }
}
const conversation = fc
  .tuple(fc.array(turnShape, { minLength: 1, maxLength: 10 }), fc.boolean())
  .map(([shapes, greeted]) => [
    ...(greeted ? [assistant('Welcome, ask me anything')] : []),
    ...shapes.flatMap((shape, n) => shaped(shape, n)),
    user('and now?'),
  ]);

describe('at every cut point of every conversation', () => {
  it('a fold parts no pair, batch or thinking, keeps the last user turn, and never empties the request', () => {
    fc.assert(
      fc.property(conversation, fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 300 }), (said, keep, need) => {
        const exchange = exchangeOf(said);
        const settings = { keepMessages: keep, keepTokens: 0, minTokens: need };
        const made = planned(exchange, { settings });
        if (!isPlan(made)) return;
        const out = outgoing(exchange, cores(exchange), [blockFrom(made)]);
        const omitted = out.plan.omit;
        // A block whose run also stands elsewhere (repeats) is absent: raw, never wrong.
        if (omitted.size === 0) expect(rendered(exchange, out.plan)).toEqual(untouched(exchange));
        else expect([...omitted].sort((a, b) => a - b)).toEqual(made.messages);
        for (const unit of unitsOf(exchange)) {
          const hidden = said.slice(unit.first, unit.last + 1).filter((_, i) => omitted.has(unit.first + i)).length;
          expect([0, unit.last - unit.first + 1]).toContain(hidden);
          if (unit.open) expect(hidden).toBe(0);
        }
        const calledIds = made.messages.flatMap((i) => said[i]?.parts ?? []).filter((part) => part.kind === 'call');
        const answers = made.messages.flatMap((i) => said[i]?.parts ?? []).filter((part) => part.kind === 'result');
        expect(answers).toHaveLength(calledIds.length);
        expect(made.messages.every((i) => i < said.length - 1 - Math.max(0, keep - 1))).toBe(true);
        const after = said.slice((made.messages.at(-1) as number) + 1).find((one) => one.role !== 'system');
        expect(after?.role).toBe('user');
        expect(said.filter((one, i) => one.role === 'system' && omitted.has(i))).toEqual([]);
        expect(rendered(exchange, out.plan).at(-1)).toBe(untouched(exchange).at(-1));
      }),
      { numRuns: 400 },
    );
  });

  it('a fold that is undone gives the original request', () => {
    fc.assert(
      fc.property(conversation, (said) => {
        const exchange = exchangeOf(said);
        const made = planned(exchange);
        if (!isPlan(made)) return;
        const list = cores(exchange);
        const opened = outgoing(exchange, list, [blockFrom(made, { state: 'expanded' })]);
        expect(rendered(exchange, opened.plan)).toEqual(untouched(exchange));
      }),
    );
  });
});

describe('the range', () => {
  it('is the oldest, starts at a user message and ends right before one', () => {
    const made = plan(exchangeOf([system('s'), ...turns(6), user('now')]));
    expect(made.messages[0]).toBe(1);
    expect(made.messages).toHaveLength(10);
    expect(made.tier).toBe(1);
    expect(made.refs).toEqual(['m00002', 'm00011']);
    expect(made.seqs).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('includes the first user message and a greeting before it', () => {
    expect(plan(exchangeOf([assistant('Hi!'), ...turns(4), user('now')])).messages[0]).toBe(0);
  });

  it('goes down to the target, not further', () => {
    const exchange = exchangeOf([...turns(20), user('now')]);
    const { sent } = outgoing(exchange, cores(exchange), []).tokens;
    const made = plan(exchange, { window: sent * 2 - 10, force: false });
    const after = sent - made.tokensBefore;
    expect(after).toBeLessThanOrEqual((sent * 2) / 4);
    expect(after).toBeGreaterThan(sent / 4);
  });

  it('leaves the recent zone: enough messages and enough tokens', () => {
    const exchange = exchangeOf([...turns(20), user('now')]);
    expect(plan(exchange, { settings: { keepMessages: 6 } }).messages.at(-1)).toBe(33);
    const made = plan(exchange, { settings: { keepMessages: 6, keepTokens: 2000 } });
    const weights = outgoing(exchange, cores(exchange), []).weights.messages;
    const kept = weights.slice((made.messages.at(-1) as number) + 1).reduce((a, b) => a + b, 0);
    expect(kept).toBeGreaterThanOrEqual(2000);
  });

  it('does not cross a pinned message, media, something unknown, or a client that left a call unanswered', () => {
    const guarded: Said[][] = [
      [image(), assistant('a pig')],
      [user('q'), { role: 'unknown', parts: [{ kind: 'unknown' }], opaque: '{"odd":1}' }],
      [user('q'), calls(call('f', '{}', 'c'))],
      [user('q'), { role: 'tool', parts: [{ kind: 'result', text: 'shot', media: ['sha256:aa'], callId: 'x' }] }],
    ];
    for (const middle of guarded) {
      const made = plan(exchangeOf([...turns(3), ...middle, ...turns(3), user('now')]));
      expect(made.messages).toEqual([0, 1, 2, 3, 4, 5]);
    }
    const exchange = exchangeOf([...turns(6), user('now')]);
    const ledger = { ...ledgerOf([]), pinned: new Set([3]) };
    expect(plan(exchange, { ledger }).messages).toEqual([0, 1]);
  });

  it('does not fold again what the person opened or a provider refused', () => {
    const exchange = exchangeOf([...turns(6), user('now')]);
    for (const state of ['expanded', 'quarantined'] as const) {
      const blocks = [blockOver(exchange, [0, 1, 2, 3], { state })];
      expect(plan(exchange, { blocks }).messages[0]).toBe(4);
    }
  });

  it('continues after a standing block', () => {
    const exchange = exchangeOf([...turns(6), user('now')]);
    const made = plan(exchange, { blocks: [blockOver(exchange, [0, 1, 2, 3])] });
    expect(made.messages[0]).toBe(4);
    expect(made.blockId).toBe('b2');
  });

  it('fits the window that has to read it', () => {
    const exchange = exchangeOf([...turns(40), user('now')]);
    const made = plan(exchange, { window: 4000 });
    expect(made.sourceTokens).toBeLessThan(3000);
    const huge = exchangeOf([user(long('huge', 9000)), assistant('a'), ...turns(4), user('now')]);
    expect(plan(huge, { window: 6000 }).messages[0]).toBe(2);
    expect(
      planned(exchangeOf([user(long('huge', 9000)), assistant('a'), user('now')]), {
        window: 6000,
        settings: { keepMessages: 1 },
      }),
    ).toEqual({
      nothing: 'no-room',
    });
  });
});

describe('when to fold', () => {
  const exchange = exchangeOf([...turns(20), user('now')]);
  const { sent } = outgoing(exchange, cores(exchange), []).tokens;
  const why = (options: Parameters<typeof planned>[1]) => {
    const made = planned(exchange, { force: false, window: sent, ...options });
    return 'nothing' in made ? made.nothing : 'plan';
  };

  it('waits for half the window by default', () => {
    expect(why({ window: sent * 2 })).toBe('plan');
    expect(why({ window: sent * 2 + 4 })).toBe('below-trigger');
    expect(why({ window: sent * 4 })).toBe('below-trigger');
  });

  it('does nothing by itself when the window is unknown or folding is off, and what the person asks at any time', () => {
    expect(why({ window: null })).toBe('no-window');
    expect(why({ settings: { mode: 'off' } })).toBe('off');
    expect(why({ state: { mode: 'off' } })).toBe('off');
    expect(why({ window: null, force: true })).toBe('plan');
  });

  it('keeps four turns between folds, but does not wait for the first', () => {
    expect(why({ state: { turnsSinceFold: 1, nextBlock: 1 } })).toBe('plan');
    expect(why({ state: { turnsSinceFold: 3, nextBlock: 2 } })).toBe('too-soon');
    expect(why({ state: { turnsSinceFold: 4, nextBlock: 2 } })).toBe('plan');
  });

  it('backs off after failures: 1, 2, 4 … 64 turns', () => {
    expect(why({ state: { backoff: { wait: 1 } } })).toBe('backing-off');
    expect([0, 1, 2, 3, 4, 5, 6, 7, 8, 90].map(backoffTurns)).toEqual([0, 1, 2, 4, 8, 16, 32, 64, 64, 64]);
  });

  it('leaves what is too small, and has nothing to do in an empty history', () => {
    expect(
      planned(exchangeOf([user('q'), assistant('a'), user('now')]), { settings: { minTokens: 500, keepMessages: 1 } }),
    ).toEqual({
      nothing: 'too-small',
    });
    expect(planned(exchangeOf([user('now')]))).toEqual({ nothing: 'nothing-foldable' });
    expect(planned(exchangeOf([user('now')]), { settings: { minTokens: 0 } })).toEqual({ nothing: 'nothing-foldable' });
    expect(planned(exchangeOf([]))).toEqual({ nothing: 'nothing-foldable' });
  });

  it('looks at what goes out after folding, not at what the client sent', () => {
    const blocks = [
      blockOver(
        exchange,
        Array.from({ length: 36 }, (_, i) => i),
      ),
    ];
    expect(why({ blocks })).toBe('below-trigger');
  });
});

describe('higher tiers', () => {
  const exchange = exchangeOf([...turns(12, 200), user('now')]);
  const blocks = [0, 1, 2, 3, 4].map((n) =>
    blockOver(exchange, [n * 4, n * 4 + 1, n * 4 + 2, n * 4 + 3], {
      blockId: `b${n + 1}` as BlockId,
      tokensAfter: 500,
      summary: long(`s${n}-`, 300),
    }),
  );

  it('fold four or more blocks into one, from the originals, when that gains more', () => {
    const made = plan(exchange, { blocks, settings: { keepMessages: 5 } });
    expect(made.tier).toBe(2);
    expect(made.directBlockIds).toEqual(['b1', 'b2', 'b3', 'b4', 'b5']);
    expect(made.directIds).toEqual([]);
    expect(made.effectiveIds).toEqual(blocks.flatMap((block) => block.effectiveIds));
    expect(made.source).toHaveLength(20);
    expect(made.source[0]?.text).toContain('q0-');
    expect(made.replaces).toBe(2500);
    const parent = blockFrom(made);
    const consumed = blocks.map((block) => ({ ...block, state: 'consumed' as const }));
    const out = outgoing(exchange, cores(exchange), [...consumed, parent]);
    expect(out.blocks).toEqual([parent]);
    expect(out.plan.omit.size).toBe(20);
  });

  it('are made from the summaries only where the originals are too long to be read again', () => {
    const made = plan(exchange, { blocks, window: 6000, settings: { keepMessages: 5 } });
    expect(made.source.map((item) => item.ref)).toEqual(['b1', 'b2', 'b3', 'b4', 'b5']);
  });

  it('need four children', () => {
    const made = planned(exchange, { blocks: blocks.slice(0, 3), settings: { keepMessages: 13 } });
    expect(made).toEqual({ nothing: 'nothing-foldable' });
  });

  it('prefer messages while these gain more', () => {
    const cheap = blocks.slice(0, 4).map((block) => ({ ...block, tokensAfter: 100 }));
    expect(plan(exchange, { blocks: cheap }).tier).toBe(1);
  });
});

it('the defaults are the documented ones', () => {
  expect(DEFAULT_FOLD).toEqual({
    mode: 'auto',
    windowTokens: null,
    triggerRatio: 0.5,
    targetRatio: 0.25,
    keepMessages: 6,
    keepTokens: 4000,
    minTokens: 500,
    minTurnsBetween: 4,
    summaryModel: null,
  });
});
