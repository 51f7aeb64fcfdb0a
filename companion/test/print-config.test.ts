/** `serve --print-config` is honest about what a setting does. */
import { expect, it } from 'vitest';
import { printConfig } from '../src/config.ts';
import { OPTIONS } from '../src/options.ts';
import { testConfig } from './support/world.ts';

it('prints every setting, and says of those that nothing reads yet that they change nothing', () => {
  const text = printConfig(testConfig('/somewhere'));
  const said = new Map(text.split(/\n(?! )/).map((entry) => [entry.split(' = ', 1)[0], entry]));
  expect([...said.keys()]).toEqual(OPTIONS.map((option) => option.name));
  const idle = [...said].filter(([, entry]) => entry.includes('Not used yet')).map(([name]) => name);
  expect(idle).toEqual(['adoption', 'coverage', 'transcriptRender']);
});
