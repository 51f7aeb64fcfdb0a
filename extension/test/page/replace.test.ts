import { describe, expect, it } from 'vitest';
import { replace, watchMade } from '../../src/page/replace.ts';

describe('a replaced function', () => {
  it('keeps name, length and attributes, and is put back', () => {
    const owner = Object.defineProperty({}, 'f', {
      value: function f(a: number) {
        return a;
      },
      configurable: true,
      enumerable: false,
    });
    const before = Object.getOwnPropertyDescriptor(owner, 'f');
    const undo = replace(owner, 'f', 'value', {});
    const now = Object.getOwnPropertyDescriptor(owner, 'f');
    expect([now?.value.name, now?.value.length, now?.enumerable, now?.value === before?.value]).toEqual(['f', 1, false, false]);
    undo();
    expect(Object.getOwnPropertyDescriptor(owner, 'f')).toEqual(before);
  });

  it('is left where the page has put its own in its place', () => {
    const owner = { f: () => 1 };
    const undo = replace(owner, 'f', 'value', {});
    const own = () => 2;
    owner.f = own;
    undo();
    expect(owner.f).toBe(own);
    expect(replace(owner, 'g', 'value', {})()).toBeUndefined();
  });
});

describe('a watched class', () => {
  it('makes what it made before, subclasses included, and tells of it', () => {
    class Thing {}
    const owner: { Thing: new () => Thing } = { Thing };
    const made: object[] = [];
    const undo = watchMade(owner, 'Thing', (one) => made.push(one));
    class Own extends owner.Thing {}
    const [plain, sub] = [new owner.Thing(), new Own()];
    expect(made).toEqual([plain, sub]);
    expect([plain instanceof owner.Thing, plain instanceof Thing, sub instanceof Own]).toEqual([true, true, true]);
    expect([plain.constructor === owner.Thing, sub.constructor === Own]).toEqual([true, true]);
    undo();
    expect([owner.Thing === Thing, plain.constructor === Thing]).toEqual([true, true]);
  });

  it('may be absent', () => expect(watchMade({}, 'Thing', () => undefined)()).toBeUndefined());
});
