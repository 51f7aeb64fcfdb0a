/** The extension's half of a conversation: its own store, its own commits, the answers to `session.pull`. */
import type { ScopeId, SessionId } from '@throughline/shared/base/brand';
import { drive } from '@throughline/shared/base/digest';
import { parseJson } from '@throughline/shared/base/json';
import { chainsOf } from '@throughline/shared/chain/chain';
import type { Resolution } from '@throughline/shared/chain/resolution';
import type { Block } from '@throughline/shared/fold/block';
import type { TurnEnd } from '@throughline/shared/protocol/frames';
import { fingerprint } from '@throughline/shared/session/fingerprint';
import { createMemoryStore } from '@throughline/shared/session/memory-store';
import { acceptBlock } from '@throughline/shared/session/operations';
import type { Commit, SessionStore } from '@throughline/shared/session/store';
import { completeTurn, openTurn } from '@throughline/shared/session/turn';
import { recognise } from '@throughline/shared/wire/registry';
import { nodeSha256 } from '../../src/hash.ts';
import { type Heard, type OpenOptions, openFrame, sendTurn, type Wired } from './browser.ts';

export interface Owner {
  readonly store: SessionStore;
  /** Answers pulls and proposals on this connection (takes them, does not take them for this reason, or is silent); returns it. */
  serve(line: Wired, options?: { accept?: boolean; drop?: string }): Wired;
  /** One whole turn as the extension does it; the frame that ended it. */
  turn(line: Wired, url: string, body: string, options?: OpenOptions): Promise<Extract<Heard, { stream: number }>>;
  /** Commits a complete turn over what the session is by now. */
  complete(url: string, body: string, end: TurnEnd, options?: { session?: string; at?: number }): Promise<void>;
  pushOf(session: string): Promise<object | null>;
}

export function createOwner(scope: string): Owner {
  const store = createMemoryStore();
  let stream = 100;

  const pushOf = async (session: string): Promise<object | null> => {
    const snapshot = await store.snapshot(scope as ScopeId, session as SessionId);
    return snapshot === null ? null : { t: 'session.push', snapshot };
  };

  const commitTurn = async (url: string, body: string, session: string, end: TurnEnd, at: number): Promise<void> => {
    const document = parseJson(body);
    const wire = document === null ? null : recognise({ method: 'POST', url }, document);
    if (document === null || wire === null) throw new Error('the test body is of no wire');
    const exchange = wire.parse({ method: 'POST', url }, document, nodeSha256);
    const key = [scope as ScopeId, session as SessionId] as const;
    const chains = drive(chainsOf(exchange), nodeSha256);
    const reason = { compared: 0, head: null, next: null, code: 'nothing-known' as const };
    const opened = openTurn({
      scope: key[0],
      session: key[1],
      record: await store.load(...key),
      rows: await store.rows(...key),
      blocks: await store.blocks(...key),
      exchange,
      chains,
      resolution: {
        via: 'new',
        session: key[1],
        depth: 0,
        incoming: chains[2].links.length,
        domain: null,
        lineage: null,
        reason,
      } as Resolution,
      signal: { site: new URL(url).origin, document: 'doc-1' },
      at,
      hash: nodeSha256,
      configuredWindow: end.configuredWindow ?? null,
    });
    const { usage, tokens, resent, quarantine, window } = end;
    const extract = (end.extract ?? null) as Block | null;
    const result = await store.commit(completeTurn(opened, { at, usage, tokens, resent, quarantine, window, extract }));
    if (result !== 'committed') throw new Error(`the owner's commit was ${result}`);
  };

  const accept = async (line: Wired, frame: Extract<Heard, { t: 'fold.proposed' }>): Promise<void> => {
    const key = [scope as ScopeId, frame.session as SessionId] as const;
    const record = await store.load(...key);
    if (record === null) return;
    const proposal = { block: frame.block, consumes: frame.consumes, cost: frame.cost } as unknown as Parameters<
      typeof acceptBlock
    >[2];
    const change = acceptBlock(record, await store.blocks(...key), proposal, 5);
    if ('dropped' in change) return;
    await store.commit(change);
    line.send({ t: 'session.commit', commit: change satisfies Commit });
  };

  return {
    store,
    pushOf,
    complete: (url, body, end, { session = 'tl-test', at = 1_700_000_000_000 } = {}) => commitTurn(url, body, session, end, at),
    serve(line, options = {}) {
      let at = 0;
      void line
        .until(() => {
          for (; at < line.frames.length; at += 1) {
            const frame = line.frames[at];
            if (frame?.t === 'session.pull') void pushOf(frame.session).then((push) => push !== null && line.send(push));
            if (frame?.t !== 'fold.proposed') continue;
            const { session, block } = frame;
            if (options.drop !== undefined) line.send({ t: 'fold.dropped', session, block: block.blockId, code: options.drop });
            else if (options.accept !== false) void accept(line, frame);
          }
          return false;
        })
        .catch(() => undefined);
      return line;
    },
    async turn(line, url, body, options = {}) {
      stream += 1;
      const session = options.session ?? 'tl-test';
      const record = await store.load(scope as ScopeId, session as SessionId);
      const at = options.at ?? 1_700_000_000_000 + stream;
      const print =
        record === null
          ? {}
          : { print: fingerprint(record, await store.blocks(scope as ScopeId, session as SessionId), nodeSha256) };
      const over = { ...print, ...options.over };
      const opened = openFrame(url, body, { stream, rev: record?.rev ?? 0, ...options, over, session, at });
      sendTurn(line, opened);
      const own = (frame: Heard): frame is Extract<Heard, { stream: number }> =>
        'stream' in frame &&
        frame.stream === opened.frame.stream &&
        ['turn.end', 'turn.error', 'turn.refused'].includes(frame.t);
      await line.until(() => line.frames.some(own));
      const last = line.frames.find(own) as Extract<Heard, { stream: number }>;
      if (last.t === 'turn.end' && last.outcome === 'complete') await commitTurn(url, body, session, last, at);
      return last;
    },
  };
}
