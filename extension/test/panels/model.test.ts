import { describe, expect, it } from 'vitest';
import { progressOf } from '../../src/onboarding/model.ts';
import { hourFrom, lastRequest, popupView, undoOf } from '../../src/popup/model.ts';
import { en } from '../../src/strings/en.ts';
import { blockVerb, rangeOf, seqsOf, standing } from '../../src/ui/blocks.ts';
import { gaugeParts } from '../../src/ui/gauge.tsx';
import { keyAction } from '../../src/ui/keys.ts';
import { namedState, overallState, type StateName } from '../../src/ui/states.ts';
import { waitLine } from '../../src/ui/waits.tsx';
import { whyLine } from '../../src/ui/why.tsx';
import { blocks, messages, NOW, session, snapshot, states } from './fixtures.ts';

const nameOf = (state: string): StateName | null => {
  const given = states[state];
  if (given === undefined) throw new Error(`no fixture ${state}`);
  return namedState(given, NOW)?.name ?? null;
};

describe('the named states', () => {
  it.each([
    ['never-paired', 'never-paired'],
    ['companion-off', 'companion-off'],
    ['port-taken', 'port-taken'],
    ['other-companion', 'other-companion'],
    ['version-mismatch', 'version-mismatch'],
    ['blocked-by-browser', 'blocked-by-browser'],
    ['not-enabled', 'site-not-enabled'],
    ['permission-missing', 'permission-missing'],
    ['empty', 'nothing-seen'],
    ['paused', 'paused'],
    ['bypassed', 'bypassed'],
    ['quarantined', 'quarantined'],
    ['storage-full', 'storage-full'],
    ['storage-fresh', 'storage-fresh'],
    ['storage-memory', 'storage-memory'],
    ['storage-newer', 'storage-newer'],
  ])('%s is told as %s', (state, name) => {
    expect(nameOf(state)).toBe(name);
    expect(en).toHaveProperty([`state.${name}.works`]);
    expect(en).toHaveProperty([`state.${name}.cause`]);
    expect(en).toHaveProperty([`state.${name}.action`]);
  });

  it('says nothing when all is well', () => expect(nameOf('folded')).toBeNull());

  it('puts what the person chose before what failed', () => {
    expect(namedState({ ...snapshot, companion: 'companion-off', siteState: 'paused' }, NOW)?.name).toBe('paused');
  });

  it('forgets a bypass that is old, was followed by a turn, or was a side request', () => {
    const lastBypass = { at: NOW - 20_000, code: 'cookies', url: 'https://x.example/' };
    expect(namedState({ ...snapshot, lastBypass: { ...lastBypass, at: NOW - 3_600_000 } }, NOW)).toBeNull();
    expect(namedState({ ...snapshot, lastBypass: { ...lastBypass, at: session.usedAt - 1 } }, NOW)).toBeNull();
    expect(namedState({ ...snapshot, lastBypass: { ...lastBypass, code: 'side:side-budget' } }, NOW)).toBeNull();
  });

  it('does not call a short wait after a failed fold, or a switch the person turned off, a state', () => {
    for (const paused of ['backing-off', 'folding-off'])
      expect(namedState({ ...snapshot, session: { ...session, paused } }, NOW)).toBeNull();
  });

  it('says why a fold failed and when it is tried again', () => {
    expect(waitLine({ paused: 'backing-off', retry: { code: 'http-529', turns: 1 } })).toBe(
      'The last fold came to nothing: the provider answered the summary request with status 529. ' +
        'It tries again after 1 more turn; until then nothing more is folded.',
    );
    expect(waitLine({ paused: 'folding-off' })).toContain('folding is switched off for this conversation');
    expect(waitLine({ paused: null })).toBeNull();
  });

  it('tells of the storage also where there is no chat page, and of nothing else of a page', () => {
    const nowhere = { ...snapshot, site: null, siteState: 'no-site' as const, session: null };
    expect(popupView({ ...nowhere, storage: 'memory' }, NOW).notice?.name).toBe('storage-memory');
    expect(popupView({ ...nowhere, storage: 'ok' }, NOW).notice).toBeNull();
    expect(overallState({ ...snapshot, siteState: 'not-enabled' })).toBeNull();
  });
});

describe('what the popup shows at once', () => {
  it('answers with status, last request and the newest blocks first', () => {
    const view = popupView(snapshot, NOW);
    expect(view.status).toBe('status.working');
    expect(view.last).toEqual({ before: 47_200, after: 21_300 });
    expect(view.blocks.map((block) => block.blockId)).toEqual(['b2', 'b1']);
    expect(view.canFold).toBe(true);
  });

  it('counts the blocks it does not show', () => {
    const many = Array.from({ length: 7 }, (_, at) => ({ ...blocks[0], blockId: `b${at + 1}` }));
    const view = popupView({ ...snapshot, session: { ...session, blockList: many as typeof blocks } }, NOW);
    expect(view.blocks.map((block) => block.blockId)).toEqual(['b7', 'b6', 'b5']);
    expect(view.moreBlocks).toBe(4);
  });

  it('offers no fold while nothing could carry it out', () => {
    expect(popupView({ ...snapshot, companion: 'companion-off' }, NOW).canFold).toBe(false);
    expect(popupView({ ...snapshot, session: { ...session, mode: 'off' } }, NOW).canFold).toBe(false);
  });

  it('has no last request before the first', () => {
    expect(lastRequest({ stats: { ...session.stats, lastReceived: 0 } })).toBeNull();
  });

  it('undoes an unfold by folding again, and the other way round', () => {
    expect(undoOf('s', 'b1', 'unfold').verb).toBe('refold');
    expect(undoOf('s', 'b1', 'refold').verb).toBe('unfold');
    expect(hourFrom(1000)).toBe(3_601_000);
  });

  it('says why in one line', () => {
    expect(whyLine(session)).toBe('Matched 41 of 43 messages: all that was stored comes first, 2 are new.');
    const born = { lineage: session.lineage, why: { ...session.why, via: 'new' as const, incoming: 20 } };
    expect(whyLine(born)).toBe('New branch: 18 of 20 messages are shared with an earlier conversation.');
  });
});

describe('blocks', () => {
  const [first, second] = blocks as [(typeof blocks)[0], (typeof blocks)[0]];
  it('are shown by message number, folded or not', () => {
    expect(rangeOf(second, messages)).toBe('12–31');
    const unhidden = messages.map((message) => ({ ...message, block: null }));
    expect(rangeOf({ ...second, state: 'expanded' }, unhidden)).toBe('12–31');
    expect(rangeOf(second, [])).toBe('m00012–m00031');
    expect(seqsOf(first, messages)).toHaveLength(first.messages);
  });

  it('of a higher tier stand for the ones they consumed', () => {
    expect(standing([{ ...first, state: 'consumed' }, second])).toEqual([second]);
    expect(blockVerb({ ...first, state: 'consumed' })).toBeNull();
    expect(blockVerb({ ...first, state: 'quarantined' })).toBe('refold');
  });
});

describe('the gauge', () => {
  it('has parts that sum to the total and fit the window', () => {
    const parts = gaugeParts(session.gauge);
    expect(parts.reduce((sum, part) => sum + part.tokens, 0)).toBe(session.gauge.total);
    expect(parts.every((part) => part.share > 0)).toBe(true);
  });

  it('never overflows, also beyond the window', () => {
    const parts = gaugeParts({ ...session.gauge, window: 8000 });
    expect(parts.reduce((sum, part) => sum + part.share, 0)).toBeLessThanOrEqual(100.001);
  });
});

describe('keys', () => {
  const press = (key: string, more = {}) => ({ key, modified: false, typing: false, ...more });
  it('act once, or after g', () => {
    expect(keyAction(press('w'), null).action).toBe('why');
    const pending = keyAction(press('g'), null).pending;
    expect(keyAction(press('d'), pending).action).toBe('go.flow');
  });

  it('never act while typing or with a modifier, but Escape leaves a field', () => {
    expect(keyAction(press('f', { typing: true }), null).action).toBeNull();
    expect(keyAction(press('f', { modified: true }), null).action).toBeNull();
    expect(keyAction(press('Escape', { typing: true }), null).action).toBe('back');
  });
});

describe('setting up resumes where it was left', () => {
  it('shows running and pairing together, since only pairing shows that it runs', () => {
    const progress = progressOf(states['never-paired'] ?? snapshot, [], 0);
    expect([...progress.now]).toEqual(['run', 'pair']);
    expect(progress.done.size).toBe(0);
  });

  it('goes on with the site once paired, and ends', () => {
    const paired = { ...snapshot, saved: { site: 0, all: 0 } };
    expect([...progressOf(paired, [], 0).now]).toEqual(['site']);
    expect([...progressOf(paired, ['https://a.example'], 0).now]).toEqual(['message']);
    expect(progressOf(snapshot, ['https://a.example'], 2).now.size).toBe(0);
  });
});
