/** Tables for people: columns as wide as their content, numbers to the right, nothing that moves the cursor. */

/** Characters a terminal would obey (in a title, say) are not printed. */
export function plainText(text: string, limit = 60): string {
  const clean = [...text].filter((char) => !/\p{C}/u.test(char)).join('');
  const chars = [...clean];
  return chars.length > limit ? `${chars.slice(0, limit - 1).join('')}…` : clean;
}

/** Width in a terminal: wide scripts take two columns. */
function width(text: string): number {
  let total = 0;
  for (const char of text)
    total +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}]/u.test(
        char,
      )
        ? 2
        : 1;
  return total;
}

export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [head, ...rows].map((row) =>
    row.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en-US') : cell)),
  );
  const widths = head.map((_, column) => Math.max(...cells.map((row) => width(row[column] ?? ''))));
  const right = head.map((_, column) => rows.length > 0 && rows.every((row) => typeof row[column] === 'number'));
  return cells
    .map((row) =>
      row
        .map((cell, column) => {
          const pad = ' '.repeat((widths[column] ?? 0) - width(cell));
          return right[column] === true ? pad + cell : cell + pad;
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** How long ago, in words. */
export function ago(at: number, now: number): string {
  const minutes = Math.max(0, Math.round((now - at) / 60_000));
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 48 * 60) return `${Math.round(minutes / 60)} h ago`;
  return `${Math.round(minutes / 1440)} days ago`;
}
