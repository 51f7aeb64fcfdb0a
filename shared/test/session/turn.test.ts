import { describe, expect, it } from 'vitest';
import type { ScopeId, SessionId } from '#base/brand';
import { drive, sha256 } from '#base/digest';
import { parseJson } from '#base/json';
import { chainsOf } from '#chain/chain';
import type { Resolution } from '#chain/resolution';
import { DEFAULT_FOLD, type FoldSettings } from '#fold/budget';
import { proposalOf } from '#fold/proposal';
import { titleOf } from '#session/birth';
import { gaugeFromEvents, gaugeOf } from '#session/gauge';
import { identify } from '#session/identify';
import { createMemoryStore } from '#session/memory-store';
import { acceptBlock, unfold } from '#session/operations';
import type { SessionStore } from '#session/store';
import { completeTurn, type OpenedTurn, type Outcome, openTurn, planAfter } from '#session/turn';
import { recognise, wireOf } from '#wire/registry';
import { isPlan, long, SUMMARY } from '../fold/conversation.ts';

const SCOPE = 'scope' as ScopeId;
const SIGNAL = { site: 'https://chat.example', document: 'd1' };
const URLS = {
  'openai-chat': 'https://api.example/v1/chat/completions',
  'anthropic-messages': 'https://api.example/v1/messages',
};
const SETTINGS: FoldSettings = { ...DEFAULT_FOLD, keepTokens: 500, minTurnsBetween: 2 };
const SYSTEM = 'You are a careful helper.';
type Name = keyof typeof URLS;
type Sent = { role: string; content: unknown };

function bodyOf(name: Name, messages: readonly Sent[]): string {
  const head = { model: 'demo', stream: true, max_tokens: 1000 };
  const body =
    name === 'openai-chat'
      ? { ...head, messages: [{ role: 'system', content: SYSTEM }, ...messages] }
      : { ...head, system: SYSTEM, messages };
  // Spacing of its own, so that any re-serialising shows.
  return JSON.stringify(body, null, 1);
}

function exchangeFor(name: Name, messages: readonly Sent[]) {
  const head = { method: 'POST', url: URLS[name] };
  const document = parseJson(bodyOf(name, messages));
  const wire = document === null ? null : recognise(head, document);
  if (wire === null || document === null || wire.id !== name) throw new Error('the body was not recognised');
  return wire.parse(head, document, sha256);
}

const outcome = (opened: OpenedTurn, at: number, change: Partial<Outcome> = {}): Outcome => ({
  at,
  usage: { fresh: 100, cached: 20, written: null, output: 7 },
  tokens: opened.outgoing.tokens,
  resent: false,
  quarantine: [],
  window: null,
  ...change,
});

async function open(store: SessionStore, name: Name, messages: readonly Sent[], at: number) {
  const exchange = exchangeFor(name, messages);
  const chains = drive(chainsOf(exchange), sha256);
  const none = { list: () => [] };
  const resolution = await identify({ store, scope: SCOPE, exchange, chains, signal: SIGNAL, inFlight: none, hash: sha256 });
  const session = resolution.session as SessionId;
  const opened = openTurn({
    scope: SCOPE,
    session,
    record: await store.load(SCOPE, session),
    rows: await store.rows(SCOPE, session),
    blocks: await store.blocks(SCOPE, session),
    exchange,
    chains,
    resolution,
    signal: SIGNAL,
    at,
    hash: sha256,
    configuredWindow: 6000,
  });
  const wire = wireOf(name);
  if (wire === null) throw new Error('the wire is registered');
  return { opened, session, body: wire.render(exchange, opened.outgoing.plan), exchange };
}

/** A page that replays everything on each turn, through 24 turns, folding as it goes. */
async function converse(name: Name) {
  const store = createMemoryStore();
  const messages: Sent[] = [];
  const turns: { body: string; source: string; opened: OpenedTurn; newLinks: number; newRows: number }[] = [];
  const sessions = new Set<string>();
  for (let n = 0; n < 24; n++) {
    messages.push({ role: 'user', content: n % 5 === 3 ? 'continue' : long(`question${n}-`, 40) });
    const { opened, session, body, exchange } = await open(store, name, messages, n);
    sessions.add(session);
    const commit = completeTurn(opened, outcome(opened, n));
    expect(await store.commit(commit)).toBe('committed');
    turns.push({ body, source: exchange.source, opened, newLinks: commit.links.length, newRows: commit.rows.length });
    const blocks = await store.blocks(SCOPE, session);
    const plan = planAfter(opened, { record: commit.record, blocks }, SETTINGS);
    if (isPlan(plan)) {
      const text = { summary: `${SUMMARY} Part ${n}.`, topic: 'T', tokens: 60 };
      const made = acceptBlock(commit.record, blocks, proposalOf(plan, text, { author: 'model', cost: 50, at: n }), n);
      if ('dropped' in made) throw new Error(made.dropped);
      expect(await store.commit(made)).toBe('committed');
    }
    messages.push({ role: 'assistant', content: long(`answer${n}-`, 40) });
  }
  return { store, messages, turns, sessions: [...sessions] as SessionId[] };
}

describe.each(['openai-chat', 'anthropic-messages'] as const)('a long conversation on %s', async (name) => {
  const { store, messages, turns, sessions } = await converse(name);
  const session = sessions[0] as SessionId;

  it('stays one session, folds more than once, and keeps what goes upstream far below what the page sent', async () => {
    expect(sessions).toHaveLength(1);
    const record = await store.load(SCOPE, session);
    expect(record?.stats.folds).toBeGreaterThanOrEqual(2);
    const last = turns.at(-1)?.opened.outgoing.tokens;
    expect(last?.sent).toBeLessThan((last?.received ?? 0) / 2);
    expect(record?.stats).toMatchObject({ requests: 24, lastReported: 120, lastSent: last?.sent });
  });

  it('sends the page’s own bytes until a block stands, and afterwards keeps prompt, last message and alternation', () => {
    expect(turns[0]?.body).toBe(turns[0]?.source);
    for (const { body, source, opened } of turns) {
      if (opened.outgoing.blocks.length === 0) expect(body).toBe(source);
      else expect(body.length).toBeLessThan(source.length);
      const sent = JSON.parse(body) as { messages: Sent[]; system?: string };
      expect(sent.system ?? sent.messages[0]?.content).toBe(SYSTEM);
      const page = JSON.parse(source) as { messages: Sent[] };
      if (name === 'openai-chat') expect(sent.messages.at(-1)).toEqual(page.messages.at(-1));
      expect(JSON.stringify(sent.messages.at(-1))).toContain(JSON.stringify(page.messages.at(-1)?.content).slice(1, -1));
      if (name === 'anthropic-messages') {
        expect(sent.messages.map((one) => one.role)).toEqual(sent.messages.map((_, i) => (i % 2 ? 'assistant' : 'user')));
      }
    }
  });

  it('keeps a stable prefix: between folds each body continues the one before', () => {
    for (let n = 1; n < turns.length; n++) {
      const before = turns[n - 1];
      const now = turns[n];
      if (!before || !now || before.opened.outgoing.blocks.length !== now.opened.outgoing.blocks.length) continue;
      const known = (JSON.parse(before.body) as { messages: Sent[] }).messages;
      expect((JSON.parse(now.body) as { messages: Sent[] }).messages.slice(0, known.length)).toEqual(known);
    }
  });

  it('writes what is new in a turn, not the history', () => {
    for (const { newLinks, newRows } of turns.slice(1)) {
      expect(newLinks).toBe(4);
      expect(newRows).toBe(2);
    }
  });

  it('renders the same bytes from what was stored', async () => {
    const again = await open(store, name, messages.slice(0, -1), 99);
    const first = await open(store, name, messages.slice(0, -1), 100);
    expect(first.body).toBe(again.body);
    const text = turns.at(-1)?.opened.outgoing.plan.inserts.map((insert) => insert.text);
    expect(again.opened.outgoing.plan.inserts.slice(0, text?.length).map((insert) => insert.text)).toEqual(text);
  });

  it('gives the page’s exact bytes when everything is unfolded', async () => {
    let record = await store.load(SCOPE, session);
    for (const block of await store.blocks(SCOPE, session)) {
      if (block.state !== 'folded' || record === null) continue;
      const change = unfold(record, block, 200);
      if ('dropped' in change) throw new Error(change.dropped);
      expect(await store.commit(change)).toBe('committed');
      record = change.record;
    }
    const { body, exchange, opened } = await open(store, name, [...messages, { role: 'user', content: 'and?' }], 201);
    expect(opened.record.session).toBe(session);
    expect(body).toBe(exchange.source);
  });

  it('never gives a ref twice', async () => {
    const rows = await store.rows(SCOPE, session);
    const refs = rows.flatMap((row) => row.cores.map((entry) => entry.ref));
    expect(new Set(refs).size).toBe(refs.length);
    expect(rows).toHaveLength(name === 'openai-chat' ? 48 : 47);
  });

  it('counts every token of the gauge once', async () => {
    for (const { opened } of turns) {
      const gauge = gaugeOf(opened);
      expect(gauge.total).toBe(opened.outgoing.tokens.sent);
      expect(gauge.window).toBe(6000);
    }
    const record = await store.load(SCOPE, session);
    if (record === null) throw new Error('the session exists');
    const stored = gaugeFromEvents(await store.events(SCOPE, session, 50), record);
    expect(stored).toEqual(gaugeOf(turns.at(-1)?.opened as OpenedTurn));
  });
});

describe('a turn', () => {
  const ask = (content: string): Sent[] => [{ role: 'user', content }];

  it('gives birth to a session at revision 1, with a title and where it came from', async () => {
    const { opened } = await open(createMemoryStore(), 'openai-chat', ask('How do I  move\na piano up the stairs?'), 5);
    const { record, links, rows, event } = completeTurn(opened, outcome(opened, 9));
    expect(record).toMatchObject({
      rev: 1,
      title: 'How do I move a piano up the stairs?',
      site: SIGNAL.site,
      document: 'd1',
      createdAt: 5,
      usedAt: 9,
      via: 'new',
      turnsSinceFold: 1,
      window: { tokens: 6000, source: 'config' },
      nextBlock: 1,
    });
    expect(links.map((link) => [link.domain, link.depth, link.parent])).toEqual([
      [2, 1, null],
      [3, 1, null],
    ]);
    expect(rows).toHaveLength(2);
    expect(event).toMatchObject({ kind: 'turn', rev: 1 });
  });

  it('cuts a title at a word, or at a character where there are none', () => {
    expect(titleOf(exchangeFor('openai-chat', ask(`${'word '.repeat(40)}`)))).toBe('word '.repeat(16).trim());
    const title = titleOf(exchangeFor('openai-chat', ask(`${'a'.repeat(79)}🔥🔥`)));
    expect(title).toBe('a'.repeat(79));
    expect(titleOf(exchangeFor('openai-chat', ask('')))).toBe('');
  });

  it('quarantines the blocks of a request that only the original survived', async () => {
    const { turns, store } = await converse('openai-chat');
    const opened = turns.at(-1)?.opened as OpenedTurn;
    const ids = opened.outgoing.blocks.map((block) => block.blockId);
    const commit = completeTurn(opened, outcome(opened, 300, { quarantine: ids, resent: true }));
    expect(commit.blocks.map((block) => [block.blockId, block.state, block.rev])).toEqual(
      ids.map((id) => [id, 'quarantined', commit.record.rev]),
    );
    expect(commit.event?.kind).toBe('quarantine');
    expect(await store.commit(commit)).toBe('stale');
  });

  it('learns a window that the upstream tells, below what the person configured', async () => {
    const { opened } = await open(createMemoryStore(), 'openai-chat', ask('How long is your context, really?'), 1);
    expect(completeTurn(opened, outcome(opened, 2, { window: 4096 })).record.window.source).toBe('config');
    const unset = { ...opened, configuredWindow: null };
    expect(completeTurn(unset, outcome(opened, 2, { window: 4096 })).record.window).toEqual({
      tokens: 4096,
      source: 'upstream',
    });
  });

  it('takes the window that the request itself sets, below what the person configured', async () => {
    const { opened, exchange } = await open(createMemoryStore(), 'openai-chat', ask('How long is your context, really?'), 1);
    const asked = { ...exchange, environment: { ...exchange.environment, window: 8192 } };
    const input = { ...opened, scope: SCOPE, session: 's' as SessionId, record: null, rows: [], at: 1, hash: sha256 };
    const again = (configuredWindow: number | null, toldWindow: number) =>
      openTurn({ ...input, exchange: asked, configuredWindow, toldWindow }).window;
    expect(again(null, 4096)).toEqual({ tokens: 8192, source: 'upstream' });
    expect(again(6000, 4096)).toEqual({ tokens: 6000, source: 'config' });
  });

  it('moves a declared session’s head only to what extends it', async () => {
    const { opened, exchange } = await open(createMemoryStore(), 'openai-chat', ask('The opening question of this'), 1);
    const declared: Resolution = { ...opened.resolution, via: 'declared' };
    const born = completeTurn(
      { ...opened, resolution: declared, record: { ...opened.record, via: 'declared' } },
      outcome(opened, 1),
    );
    const other = exchangeFor('openai-chat', ask('A subagent that shares the id'));
    const chains = drive(chainsOf(other), sha256);
    const branch = openTurn({
      scope: SCOPE,
      session: born.record.session,
      record: born.record,
      rows: born.rows,
      blocks: [],
      exchange: other,
      chains,
      resolution: declared,
      signal: null,
      at: 2,
      hash: sha256,
      configuredWindow: null,
    });
    const commit = completeTurn(branch, outcome(branch, 3));
    expect(commit.record.heads).toEqual(born.record.heads);
    expect(commit.links).toHaveLength(2);
    expect(exchange.source).not.toBe(other.source);
  });

  it('sends the body as it is where folding is off for the session or the request', async () => {
    const { turns } = await converse('openai-chat');
    const last = turns.at(-1)?.opened;
    if (last === undefined) throw new Error('there are turns');
    const { exchange, chains, resolution, record, blocks, observation } = last;
    const base = { scope: SCOPE, session: record.session, exchange, chains, resolution, blocks, signal: null, at: 1 };
    const input = { ...base, rows: observation.ledger, hash: sha256, configuredWindow: 6000 };
    expect(openTurn({ ...input, record }).outgoing.blocks.length).toBeGreaterThan(0);
    const raw = openTurn({ ...input, record, fold: 'off' });
    expect(raw.outgoing.plan.omit.size).toBe(0);
    // What was sent raw once is still folded: a plan made after it must not take it for free.
    expect(planAfter(raw, { record, blocks }, SETTINGS, true)).toEqual(planAfter(last, { record, blocks }, SETTINGS, true));
    expect(openTurn({ ...input, record: { ...record, mode: 'off' } }).outgoing.plan.omit.size).toBe(0);
  });

  it('never moves a head back when an answer arrives after that of its own continuation', async () => {
    const store = createMemoryStore();
    const opening: Sent[] = [{ role: 'user', content: 'Which boat should a beginner buy, please?' }];
    const first = await open(store, 'openai-chat', opening, 1);
    await store.commit(completeTurn(first.opened, outcome(first.opened, 1)));
    const late = await open(store, 'openai-chat', opening, 2);
    const grown: Sent[] = [...opening, { role: 'assistant', content: 'A small one.' }, { role: 'user', content: 'How small?' }];
    const next = await open(store, 'openai-chat', grown, 3);
    await store.commit(completeTurn(next.opened, outcome(next.opened, 3)));
    const record = await store.load(SCOPE, late.session);
    if (record === null) throw new Error('the session is stored');
    const after = completeTurn({ ...late.opened, record }, outcome(late.opened, 4));
    expect(await store.commit(after)).toBe('committed');
    expect(after.record.heads[2].depth).toBe(3);
    expect((await open(store, 'openai-chat', opening, 5)).session).not.toBe(first.session);
  });
});
