import { describe, expect, it } from 'vitest';
import { sha256 } from '#base/digest';
import { coreId, coresOf } from '#fold/core';
import { assistant, call, calls, exchangeOf, image, result, type Said, text, user } from './conversation.ts';

const idsOf = (...said: Said[]): string[] => coresOf(exchangeOf(said), sha256).map((core) => core.id);

describe('core ids', () => {
  it('are the frozen form: role, content type, call id, tool name, text', () => {
    expect(coreId({ role: 'user', contentType: 'text', text: 'hello there friend' }, sha256)).toBe('h_ebe4fcef83e51452');
    expect(
      coreId({ role: 'assistant', contentType: 'tool-call', callId: 'call_1', toolName: 'search', text: '{"q":1}' }, sha256),
    ).toBe('h_37dbe2f50199a6b9');
    expect(coreId({ role: 'tool', contentType: 'tool-result', callId: 'call_1', text: 'ok' }, sha256)).toBe(
      'h_e1af5fbe5813fd1b',
    );
  });

  it('come out the same from messages', () => {
    expect(idsOf(user('hello there friend'))).toEqual(['h_ebe4fcef83e51452']);
    expect(idsOf(calls(call('search', '{"q":1}', 'call_1')))).toEqual(['h_37dbe2f50199a6b9']);
    const inUserMessage: Said = { role: 'user', parts: [result('ok', 'call_1')] };
    expect(idsOf(inUserMessage)).toEqual(['h_e1af5fbe5813fd1b']);
  });

  it('give every message at least one core', () => {
    const empty: Said = { role: 'user', parts: [] };
    const opaque: Said = { role: 'unknown', parts: [{ kind: 'unknown' }], opaque: '{"x":1}' };
    const cores = coresOf(exchangeOf([empty, opaque, calls(text('a'), call('f', '{}'))]), sha256);
    expect(cores.map((core) => core.message)).toEqual([0, 1, 2, 2]);
    expect(cores.map((core) => core.kind)).toEqual(['text', 'opaque', 'text', 'tool-call']);
  });

  it('change for the one changed image only, and text ids never have a media slot', () => {
    const two = (media: string): Said => ({
      role: 'user',
      parts: [text('look'), { kind: 'media', media: 'sha256:aa' }, { kind: 'media', media }],
    });
    const before = idsOf(two('sha256:bb'));
    const after = idsOf(two('sha256:cc'));
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
    expect(after[2]).not.toBe(before[2]);
    expect(idsOf(image())).not.toEqual(idsOf(user('')));
  });

  it('tell a refusal from the same words, redacted thinking from other redacted thinking, a lone surrogate from its replacement', () => {
    const refusal: Said = { role: 'assistant', parts: [{ kind: 'refusal', text: 'no' }] };
    expect(idsOf(refusal)).not.toEqual(idsOf(assistant('no')));
    expect(idsOf(user('\ud800'))).not.toEqual(idsOf(user('\ufffd')));
    const hidden = (from: number): Said => ({
      role: 'assistant',
      parts: [{ kind: 'reasoning', text: '', redacted: true, span: { start: from, end: from + 5 } }],
    });
    expect(idsOf(hidden(0))).not.toEqual(idsOf(hidden(3)));
  });

  it('are the same whether the leading messages are hashed again or taken over', () => {
    const first = exchangeOf([user('a'), assistant('b')]);
    const next = exchangeOf([user('a'), assistant('b changed'), user('c')]);
    const taken = coresOf(next, sha256, { exchange: first, cores: coresOf(first, sha256) });
    expect(taken).toEqual(coresOf(next, sha256));
    let hashed = 0;
    const longer = exchangeOf([user('a'), assistant('b'), user('c')]);
    const counting = (data: string | Uint8Array) => {
      hashed += 1;
      return sha256(data);
    };
    coresOf(longer, counting, { exchange: first, cores: coresOf(first, sha256) });
    expect(hashed).toBe(1);
  });
});
