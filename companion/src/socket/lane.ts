/**
 * The page lane: what a proven connection may say, and what happens then. Everything it names lies in its own scope; a frame that is
 * not understood is refused with a code and changes nothing.
 */
import type { ScopeId, SessionId } from '@throughline/shared/base/brand';
import { MAX_TEXT_FRAME, parseExtensionFrame } from '@throughline/shared/protocol/codec';
import type { CompanionToExtension, ExtensionToCompanion } from '@throughline/shared/protocol/frames';
import type { SessionSnapshot, Tombstone } from '@throughline/shared/session/records';
import type { Commit, SessionStore } from '@throughline/shared/session/store';
import { forgetHere } from '../acts/owned.ts';
import { errorCode } from '../log.ts';
import type { Pairings } from '../pairing/pairings.ts';
import { createTurnDesk, type TurnDeps } from '../turn/desk.ts';
import { createPulls } from '../turn/pulls.ts';
import { VERSION } from '../version.ts';
import type { Line, LineHandler } from './gate.ts';
import { restoreTo } from './restore.ts';

export interface LaneDeps extends TurnDeps {
  readonly store: SessionStore;
  readonly pairings: Pairings;
  readonly stats: () => Promise<unknown>;
  /** Connections that have heard `ready`, newest last. */
  readonly lines: Set<Line>;
  /** Milliseconds a turn waits for a pushed session. */
  readonly pullMilliseconds?: number;
}

type Told = Exclude<ExtensionToCompanion, { t: 'hello' | 'proof' }>;

export function openLane(line: Line, deps: LaneDeps): LineHandler {
  const scope = line.proven.pairing.scope as ScopeId;
  const pulls = createPulls(deps.pullMilliseconds);
  const turns = createTurnDesk(line, pulls, deps);
  const refuse = (code: string, message: string): void => line.send({ t: 'refused', code, message });
  const pull = (session: string): void => line.send({ t: 'session.pull', session });

  const tellForgotten = async (session: string): Promise<void> => {
    const tombstones = (await deps.store.tombstones(scope)).filter((one) => one.session === session);
    for (const tombstone of tombstones) line.send({ t: 'forget', tombstone: { ...tombstone } });
  };
  const applied = async (session: string, outcome: string): Promise<void> => {
    if (outcome === 'stale') pull(session);
    else if (outcome === 'forgotten') await tellForgotten(session);
  };

  const onCommit = async (commit: Commit): Promise<void> => {
    const outcome = await deps.replica.commit(commit);
    if (outcome === 'committed' || outcome === 'failed') deps.folder.committed(commit);
    await applied(commit.record.session, outcome);
  };
  const onPush = async (snapshot: SessionSnapshot): Promise<void> => {
    const outcome = await deps.replica.restore(snapshot);
    if (outcome !== 'forgotten') deps.folder.committed(snapshot);
    pulls.pushed(snapshot.record.session);
    await applied(snapshot.record.session, outcome);
  };
  const act = async (frame: Told): Promise<void> => {
    switch (frame.t) {
      case 'turn.open':
        return turns.open(frame);
      case 'turn.credit':
        return turns.credit(frame.stream, frame.bytes);
      case 'turn.abort':
        return turns.abort(frame.stream);
      case 'session.commit':
        if (frame.commit.record.scope !== scope) return refuse('other-scope', 'This session belongs to another pairing.');
        return onCommit(frame.commit as unknown as Commit);
      case 'session.push':
        if (frame.snapshot.record.scope !== scope) return refuse('other-scope', 'This session belongs to another pairing.');
        return onPush(frame.snapshot as unknown as SessionSnapshot);
      case 'fold.dropped':
        return deps.folder.dropped(scope, frame.session as SessionId, frame.block, frame.code);
      case 'fold.now':
        return deps.folder.foldNow(scope, frame.session as SessionId);
      case 'forget':
        if (frame.tombstone.scope !== scope) return refuse('other-scope', 'This session belongs to another pairing.');
        return void (await forgetHere(frame.tombstone as unknown as Tombstone, deps));
      case 'inspect': {
        const data = frame.what === 'stats' ? await deps.stats() : { version: VERSION };
        return line.send({ t: 'inspected', id: frame.id, data } satisfies CompanionToExtension);
      }
    }
  };

  let open = true;
  const ready = (): void => {
    if (!open) return;
    deps.lines.add(line);
    deps.folder.connected(scope);
  };
  restoreTo(line, deps, ready).catch((error: unknown) => deps.log.error('restore-failed', { code: errorCode(error) }));
  return {
    text(text) {
      const parsed = parseExtensionFrame(text);
      if (!parsed.ok && text.length > MAX_TEXT_FRAME) return refuse('frame-too-large', 'A frame was larger than may be sent.');
      if (!parsed.ok) return refuse('bad-frame', `A frame was not understood: ${parsed.problem}.`);
      if (parsed.frame.t === 'hello' || parsed.frame.t === 'proof') return refuse('bad-frame', 'The handshake is over.');
      act(parsed.frame).catch((error: unknown) => {
        deps.log.error('frame-failed', { frame: parsed.frame.t, code: errorCode(error) });
        refuse('frame-failed', `The companion could not carry out ${parsed.frame.t}.`);
      });
    },
    binary(bytes) {
      if (!turns.binary(bytes)) refuse('bad-frame', 'A binary frame was not understood.');
    },
    closed() {
      open = false;
      deps.lines.delete(line);
      turns.closed();
      pulls.closed();
    },
  };
}
