/**
 * What a delivered answer amounts to: the `turn.end` the extension gets. Only a complete answer moves a session; everything else
 * leaves it as it was.
 */

import type { Block } from '@throughline/shared/fold/block';
import type { TurnEnd } from '@throughline/shared/protocol/frames';
import type { Commit } from '@throughline/shared/session/store';
import { completeTurn } from '@throughline/shared/session/turn';
import type { Usage } from '@throughline/shared/wire/wire';
import type { Delivered } from './forward.ts';
import type { Asked, Prepared } from './prepare.ts';

const NO_USAGE: Usage = { fresh: null, cached: null, written: null, output: null };

export function endOf(open: Asked, prepared: Prepared, result: Delivered): TurnEnd {
  const { answer, resent, quarantine, overflow } = result;
  const { extract } = prepared;
  // A request that went out again as the page wrote it cost what the page wrote.
  const tokens = resent ? { received: prepared.tokens.received, sent: prepared.tokens.received } : prepared.tokens;
  return {
    t: 'turn.end',
    stream: open.stream,
    outcome: answer?.outcome ?? 'error',
    usage: answer?.usage ?? NO_USAGE,
    tokens,
    resent,
    quarantine: quarantine.filter((block) => block !== extract?.blockId),
    window: overflow?.window ?? prepared.told,
    configuredWindow: prepared.opened.configuredWindow,
    extract: resent || extract === null ? null : { ...extract },
  };
}

/** The change a complete turn makes; the extension builds the same one from the same frame. */
export function commitOf(open: Asked, prepared: Prepared, end: TurnEnd): Commit {
  const { usage, tokens, resent, quarantine, window } = end;
  const extract = (end.extract ?? null) as Block | null;
  return completeTurn(prepared.opened, { at: open.at, usage, tokens, resent, quarantine, window, extract });
}
