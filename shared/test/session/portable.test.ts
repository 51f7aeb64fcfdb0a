/** Conversations going out and coming in: the same bytes, and nothing that was not checked. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ExportFile, jsonPieces } from '#session/portable';
import { readPortable } from '#session/portable-schema';

const link = 'a'.repeat(64);
const head = () => ({ link, depth: 1 });
const file = () => ({
  format: 'throughline-export',
  version: 1,
  exportedAt: 5,
  sessions: [
    {
      record: {
        ...{ scope: 'scope-a', session: 'tl-1', rev: 2, wire: 'openai-chat', heads: { 2: head(), 3: head() } },
        ...{ site: 'https://chat.example', document: null, conversation: null, model: 'm', title: '河流 "q"\nend' },
        ...{ createdAt: 1, usedAt: 2, via: 'new', lineage: null },
        last: {
          ...{ via: 'new', depth: 0, incoming: 1, domain: null },
          reason: { compared: 0, head: null, next: null, code: 'nothing-known' },
        },
        ...{ nextSeq: 1, nextRef: 2, nextBlock: 2, nextRun: 2, turnsSinceFold: 0, backoff: { wait: 0, failures: 0 } },
        stats: {
          ...{ requests: 1, received: 9, sent: 9, foldCost: 0, folds: 0, possibleDoubleBills: 0 },
          ...{ lastReceived: 9, lastSent: 9, lastReported: null },
        },
        window: { tokens: null, source: 'unknown' },
        mode: 'auto',
      },
      rows: [
        {
          ...{ seq: 0, wire: 'openai-chat', role: 'user', raw: '{"role":"user","content":"\\ud800 hi"}' },
          ...{ cores: [{ id: 'h_0123456789abcdef', ordinal: 0, ref: 'm00001', tokens: 3 }], pinned: false },
        },
      ],
      links: [{ domain: 2, link, parent: null, item: link, depth: 1 }],
      blocks: [
        {
          ...{ blockId: 'b1', runId: 'r1', tier: 1, topic: 't', summary: 's', directIds: ['h_0123456789abcdef'] },
          ...{ effectiveIds: ['h_0123456789abcdef'], directBlockIds: [], refs: ['m00001', 'm00001'], seqs: [0] },
          ...{ tokensBefore: 3, tokensAfter: 1, createdAt: 1, state: 'folded', rev: 2, author: 'model' },
        },
      ],
      events: [{ at: 1, rev: 1, kind: 'turn', data: { sent: 60, note: null } }],
    },
  ],
  tombstones: [{ scope: 'scope-a', session: 'tl-9', site: null, at: 3 }],
});
type File = ReturnType<typeof file>;
type Session = File['sessions'][0];
const hostile = (change: (one: Session, all: File) => void): string => {
  const made = file();
  change(made.sessions[0] as Session, made);
  return JSON.stringify(made);
};
const read = (text: string) => {
  const result = readPortable(text);
  return result.ok ? 'taken' : `${result.reason} ${result.at}`;
};

describe('the text of an export', () => {
  it('is what JSON.stringify writes, in pieces', () => {
    const parts = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 4 });
    fc.assert(
      fc.property(parts, parts, fc.nat(), (sessions, tombstones, exportedAt) => {
        const whole = { format: 'throughline-export', version: 1, exportedAt, sessions, tombstones };
        const text = [...jsonPieces(sessions as never, tombstones as never, exportedAt)].join('');
        expect(text).toBe(JSON.stringify(whole, null, 1));
      }),
    );
  });

  it('is read back as the same bytes, fields of a later build included', () => {
    const made = file();
    Object.assign(made.sessions[0]?.record ?? {}, { later: [1, { a: 'b' }] });
    const text = JSON.stringify(made, null, 1);
    const result = readPortable(text);
    if (!result.ok) throw new Error(`${result.reason} ${result.at}`);
    const { sessions, tombstones, exportedAt }: ExportFile = result.file;
    expect([...jsonPieces(sessions, tombstones, exportedAt)].join('')).toBe(text);
  });
});

describe('a file that is not taken in', () => {
  it.each([
    ['', 'not-json file'],
    ['null', 'not-ours format'],
    ['[]', 'not-ours format'],
    ['{"format":"other"}', 'not-ours format'],
    [hostile((_, all) => Object.assign(all, { version: 2 })), 'newer version'],
    [hostile((_, all) => Object.assign(all, { version: '2' })), 'broken version'],
    [hostile((_, all) => Object.assign(all, { sessions: {} })), 'broken sessions'],
    [hostile((one, all) => all.sessions.push(one)), 'broken sessions'],
    [hostile((one) => Object.assign(one.record, { session: '../../x\u0000' })), 'broken sessions.0.record.session'],
    [hostile((one) => Object.assign(one.record, { usedAt: 1e300 })), 'broken sessions.0.record.usedAt'],
    [hostile((one) => Object.assign(one.record.heads[2], { link: 'x' })), 'broken sessions.0.record.heads.2.link'],
    [hostile((one) => Object.assign(one.record, { nextSeq: 0 })), 'broken sessions.0'],
    [hostile((one) => Object.assign(one.record, { nextRef: 1 })), 'broken sessions.0'],
    [hostile((one) => Object.assign(one.record, { nextBlock: 1 })), 'broken sessions.0'],
    [hostile((one) => Object.assign(one.blocks[0] as object, { seqs: [7] })), 'broken sessions.0'],
    [hostile((one) => Object.assign(one.blocks[0] as object, { directBlockIds: ['b7'] })), 'broken sessions.0'],
    [hostile((one) => one.rows.push(one.rows[0] as never)), 'broken sessions.0'],
    [hostile((one) => one.links.push(one.links[0] as never)), 'broken sessions.0'],
    [hostile((one) => Object.assign(one, { events: Array(3).fill(one.events[0]) })), 'broken sessions.0'],
    [hostile((one) => Object.assign(one.rows[0] as object, { raw: 5 })), 'broken sessions.0.rows.0.raw'],
    [
      hostile(() => undefined)
        .replace('"later"', '"x"')
        .replace('"sent":60', '"__proto__":{"a":1}'),
      'not-json file',
    ],
    [hostile(() => undefined).replace('"mode"', '"\\u005f_proto__":{"polluted":1},"mode"'), 'not-json file'],
  ])('%#: %s', (text, outcome) => {
    expect(read(text)).toBe(outcome);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('of any other shape never throws', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(['not-ours format', 'not-json file']).toContain(read(text));
      }),
    );
  });

  it('the file they were made from is taken', () => expect(read(hostile(() => undefined))).toBe('taken'));
});
