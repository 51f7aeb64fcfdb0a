/** What the scripts print: short lines, and one sentence before an exit. */

export const say = (text = '') => process.stdout.write(`${text}\n`);

/** Work that takes time; on stderr, so that output meant for programs stays clean. */
export const progress = (text) => process.stderr.write(`${text}\n`);

/** Prints a sentence and what to do, and ends the script: 1 when it failed, 2 when it was called wrongly (`usage`). */
export function fail(code, sentence) {
  process.stderr.write(`throughline: ${code}: ${sentence}\n`);
  process.exit(code === 'usage' ? 2 : 1);
}
