/** The demo model's tokenizer: an estimate, but the same one for windows, prices and the rows of the demo. */

const CJK = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]/g;

/** About 4 characters a token; CJK characters count 0.75 each. */
export function countTokens(text: string): number {
  const cjk = text.match(CJK)?.length ?? 0;
  return Math.ceil((text.length - cjk) / 4 + cjk * 0.75);
}

/** Tokens of a prompt: its messages plus 4 for the frame of each. */
export function countPrompt(prompt: readonly string[]): number {
  return prompt.reduce((sum, message) => sum + countTokens(message) + 4, 0);
}

/** Cuts text into pieces of about `size` characters, never inside a character (surrogate pairs and marks stay whole). */
export function pieces(text: string, size: number): string[] {
  const found: string[] = [];
  let piece = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    piece += segment;
    if (piece.length < size) continue;
    found.push(piece);
    piece = '';
  }
  if (piece !== '') found.push(piece);
  return found;
}
