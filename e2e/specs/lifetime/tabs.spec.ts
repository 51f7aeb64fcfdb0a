/** Two tabs that hold the same conversation go on at once: both are answered, one continues it, the other forks. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Conversation } from '../../fixtures/chat.ts';
import { type Life, startLife } from '../../fixtures/life.ts';

const ROUNDS = 6;

let life: Life;
beforeAll(async () => {
  life = await startLife();
});
afterAll(() => life?.dispose());

interface SessionLine {
  readonly session: string;
  readonly lineage: { readonly kind: string; readonly parents: readonly string[] } | null;
}
const sessions = async () => JSON.parse(await life.companion.cli('sessions', '--json')).sessions as SessionLine[];

test('at once, again and again: nothing is lost, nothing waits for the other', async () => {
  const tabs = [await life.open(), await life.open()] as const;
  for (let round = 0; round < ROUNDS; round++) {
    const before = (await sessions()).map(({ session }) => session);
    const first = new Conversation(tabs[0]);
    expect(await first.say(`Please describe ship number ${round} to me.`)).toMatchObject({ ok: true, error: null });
    expect(await first.say('Go on.')).toMatchObject({ ok: true, error: null });
    const second = new Conversation(tabs[1]);
    second.messages.push(...first.messages);
    const replies = await Promise.all([first.say('And how is it built?'), second.say('And where does it sail?')]);
    for (const reply of replies) expect(reply).toMatchObject({ ok: true, error: null });
    // Each goes on by itself.
    expect(await first.say('Of what wood?')).toMatchObject({ ok: true, error: null });
    expect(await second.say('In what wind?')).toMatchObject({ ok: true, error: null });
    const fresh = (await sessions()).filter(({ session }) => !before.includes(session));
    expect(fresh).toHaveLength(2);
    const fork = fresh.filter(({ lineage }) => lineage?.kind === 'forked');
    expect(fork).toHaveLength(1);
    expect(fresh.map(({ session }) => session)).toContain(fork[0]?.lineage?.parents[0]);
  }
});
