/** Which rows of a long list are in sight, and where a key goes. Pure. */

/** Rows drawn beyond each edge, so that a fast scroll shows no gap. */
const MARGIN = 8;

/** Half-open range of rows to draw. */
export function sliceInSight(
  count: number,
  rowHeight: number,
  scrolled: number,
  height: number,
): { first: number; last: number } {
  const first = Math.max(0, Math.min(count, Math.floor(scrolled / rowHeight) - MARGIN));
  const last = Math.max(first, Math.min(count, Math.ceil((scrolled + height) / rowHeight) + MARGIN));
  return { first, last };
}

/** The row a key moves to, or null when the key does not move. */
export function rowAfter(key: string, at: number, count: number, page: number): number | null {
  const clamp = (row: number) => Math.max(0, Math.min(count - 1, row));
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return clamp(at + 1);
    case 'ArrowUp':
    case 'k':
      return clamp(at - 1);
    case 'PageDown':
      return clamp(at + page);
    case 'PageUp':
      return clamp(at - page);
    case 'Home':
      return clamp(0);
    case 'End':
      return clamp(count - 1);
    default:
      return null;
  }
}
