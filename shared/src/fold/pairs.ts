/**
 * What may never be parted: a call and its results, the calls of one batch, reasoning and the message it belongs to.
 *
 * The messages of an exchange fall into *units*, contiguous runs that are folded whole or not at all. A unit with a call that has no
 * result, or a result that has no call, is `open`: the client's own orphan goes out as it came and is never folded. Results are
 * paired with the nearest unanswered call of their id, because some clients use the same id again and again.
 */
import type { Exchange } from '#neutral/message';

export interface Unit {
  readonly first: number;
  /** Inclusive. */
  readonly last: number;
  readonly open: boolean;
}

interface OpenCall {
  readonly message: number;
  readonly callId: string | undefined;
  readonly name: string;
}

/** Takes the call that this result answers out of the list. */
function answered(calls: OpenCall[], callId: string | undefined, name: string | undefined): OpenCall | null {
  let at = callId === undefined ? -1 : calls.findLastIndex((call) => call.callId === callId);
  if (at === -1) {
    // An id that only one side has says nothing: then the name does. Without ids, a batch is answered in its own order: the oldest
    // open call of the newest message that has one.
    const fits = (call: OpenCall): boolean =>
      name === undefined
        ? callId === undefined && call.callId === undefined
        : call.name === name && (callId === undefined || call.callId === undefined);
    const newest = calls.findLast(fits);
    at = calls.findIndex((call) => call.message === newest?.message && fits(call));
  }
  return at === -1 ? null : (calls.splice(at, 1)[0] ?? null);
}

/** The units of the exchange, in order; together they hold every message once. */
export function unitsOf(exchange: Exchange): readonly Unit[] {
  const { messages } = exchange;
  const reach = messages.map((_, index) => index);
  const broken = new Set<number>();
  const calls: OpenCall[] = [];
  messages.forEach((message, index) => {
    const before = messages[index - 1];
    if (before?.role === 'assistant' && message.role === 'assistant') reach[index - 1] = index;
    for (const part of message.parts) {
      if (part.kind === 'call') calls.push({ message: index, callId: part.callId, name: part.name });
      if (part.kind !== 'result') continue;
      const call = answered(calls, part.callId, part.name);
      if (call === null) broken.add(index);
      else reach[call.message] = Math.max(reach[call.message] ?? 0, index);
    }
  });
  for (const call of calls) broken.add(call.message);
  const units: Unit[] = [];
  let first = 0;
  let last = 0;
  let open = false;
  messages.forEach((_, index) => {
    last = Math.max(last, reach[index] ?? index);
    if (broken.has(index)) open = true;
    if (index < last) return;
    units.push({ first, last, open });
    first = index + 1;
    last = first;
    open = false;
  });
  return units;
}
