import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ledgerOf, observe, refOf, type TranscriptRow } from '#fold/ledger';
import { assistant, call, calls, cores, exchangeOf, rawOf, type Said, text, user } from './conversation.ts';

function watch(requests: readonly (readonly Said[])[]) {
  const rows: TranscriptRow[] = [];
  let ledger = ledgerOf([]);
  const refs: (readonly string[])[] = [];
  for (const said of requests) {
    const exchange = exchangeOf(said);
    const seen = observe(ledger, exchange, cores(exchange));
    rows.push(...seen.rows);
    ledger = seen.ledger;
    refs.push(seen.refs);
  }
  return { rows, ledger, refs };
}

const word = fc.constantFrom('continue', 'yes', 'ok', 'no');
const message = fc.oneof(
  word.map(user),
  word.map(assistant),
  fc.tuple(word, word).map(([a, b]): Said => ({ role: 'assistant', parts: [text(a), text(b)] })),
);
const requests = fc.array(fc.array(message, { maxLength: 8 }), { maxLength: 6 });

describe('the ledger', () => {
  it('gives refs in order of arrival and keeps them', () => {
    const { rows, refs } = watch([[user('a')], [user('a'), assistant('b'), user('c')]]);
    expect(refs).toEqual([['m00001'], ['m00001', 'm00002', 'm00003']]);
    expect(rows.map((row) => row.seq)).toEqual([0, 1, 2]);
  });

  it('gives a repeat its own ref and ordinal', () => {
    const { rows } = watch([[user('continue'), assistant('x'), user('continue')]]);
    expect(rows.map((row) => [row.cores[0]?.ref, row.cores[0]?.ordinal])).toEqual([
      ['m00001', 0],
      ['m00002', 0],
      ['m00003', 1],
    ]);
  });

  it('stores the exact bytes of each message, once', () => {
    const said = [user('a "quoted" é'), calls(text('t'), call('f', '{}', 'c1'))];
    const exchange = exchangeOf(said);
    const { rows } = watch([said, said]);
    expect(rows.map((row) => row.raw)).toEqual([rawOf(exchange, 0), rawOf(exchange, 1)]);
  });

  it('stores a message that joins known pieces in a new way, once', () => {
    const joined: Said = { role: 'user', parts: [text('a'), text('b')] };
    const { rows, ledger } = watch([[user('a'), user('b')], [joined], [joined]]);
    expect(rows).toHaveLength(3);
    expect(rows[2]?.cores.map((entry) => entry.ref)).toEqual(['m00001', 'm00002']);
    expect(ledger.nextRef).toBe(3);
  });

  it('observes idempotently, never reuses a ref, and is rebuilt exactly from its rows', () => {
    fc.assert(
      fc.property(requests, (list) => {
        const { rows, ledger } = watch(list);
        const again = watch([...list, ...list]);
        expect(again.rows).toEqual(rows);
        const owner = new Map<string, string>();
        for (const entry of rows.flatMap((row) => row.cores)) {
          const name = `${entry.id} ${entry.ordinal}`;
          expect(owner.get(entry.ref) ?? name).toBe(name);
          owner.set(entry.ref, name);
        }
        expect(new Set(owner.values()).size).toBe(owner.size);
        expect(ledgerOf(rows)).toEqual(ledger);
      }),
    );
  });

  it('maps every message of a request to a stored row that holds its pieces', () => {
    fc.assert(
      fc.property(requests, fc.array(message, { maxLength: 8 }), (list, said) => {
        const before = watch(list);
        const exchange = exchangeOf(said);
        const seen = observe(before.ledger, exchange, cores(exchange));
        const rows = new Map([...before.rows, ...seen.rows].map((row) => [row.seq, row]));
        expect(seen.seqOfMessage).toHaveLength(said.length);
        cores(exchange).forEach((core, index) => {
          const row = rows.get(seen.seqOfMessage[core.message] as number);
          expect(row?.cores.some((entry) => entry.id === core.id && entry.ref === seen.refs[index])).toBe(true);
        });
      }),
    );
  });

  it('does not hand out refs that the record has passed, even when rows were pruned', () => {
    const exchange = exchangeOf([user('new')]);
    const seen = observe(ledgerOf([], { nextSeq: 7, nextRef: 40 }), exchange, cores(exchange));
    expect(seen.refs).toEqual(['m00040']);
    expect(seen.rows[0]?.seq).toBe(7);
  });

  it('says when refs are used up instead of reusing one', () => {
    expect(refOf(99_999)).toBe('m99999');
    expect(() => refOf(100_000)).toThrow(/refs-exhausted/);
  });
});
