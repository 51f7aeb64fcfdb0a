/**
 * Numbers, times and names as people read them. Pure; one unit style everywhere: `12.4k`.
 */

/** A count in three or four characters: 812, 9.9k, 128k, 1.2M. */
export function compact(count: number): string {
  const size = Math.abs(count);
  const sign = count < 0 ? '−' : '';
  if (size < 1000) return sign + String(Math.round(size));
  if (size < 999_950) return `${sign}${oneDecimal(size / 1000)}k`;
  if (size < 999_950_000) return `${sign}${oneDecimal(size / 1e6)}M`;
  return `${sign}${oneDecimal(size / 1e9)}G`;
}

function oneDecimal(value: number): string {
  return value.toFixed(1).replace(/\.0$/, '');
}

/** The full number, for a hover. */
export function exact(count: number, language: string): string {
  return new Intl.NumberFormat(language).format(Math.round(count));
}

/** Share of a whole; something is never shown as nothing, nor part as all. */
export function percent(part: number, whole: number): string {
  if (whole <= 0) return '0 %';
  const share = (part / whole) * 100;
  if (share > 0 && share < 1) return '< 1 %';
  if (share > 99 && share < 100) return '99 %';
  return `${Math.round(share)} %`;
}

/** Bytes with a binary-free unit: 812 B, 12.4 kB, 1.2 MB. */
export function bytes(count: number): string {
  if (count < 1000) return `${Math.round(count)} B`;
  if (count < 999_950) return `${oneDecimal(count / 1000)} kB`;
  if (count < 999_950_000) return `${oneDecimal(count / 1e6)} MB`;
  return `${oneDecimal(count / 1e9)} GB`;
}

/** How long something has been going on: 8 s, 1:05 min. */
export function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} min`;
}

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** A moment relative to now, in the person's language. Under a minute it is "now". */
export function relative(at: number, now: number, language: string): string {
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' });
  const distance = at - now;
  for (const [unit, size] of STEPS) {
    if (Math.abs(distance) >= size) return format.format(Math.trunc(distance / size), unit);
  }
  return format.format(0, 'second');
}

/** The same moment in full, for a hover. */
export function absolute(at: number, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' }).format(at);
}

/** A digest as people compare it: 9f3c…e1a0. */
export function shortHash(digest: string): string {
  return digest.length <= 12 ? digest : `${digest.slice(0, 4)}…${digest.slice(-4)}`;
}

/** Host of an origin, as shown: no scheme for https, kept for everything else. */
export function hostOf(origin: string): string {
  return origin.replace(/^https:\/\//, '');
}

/** Message numbers as ranges: 12–31, 35. */
export function ranges(numbers: readonly number[]): string {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  const parts: string[] = [];
  let first = Number.NaN;
  let last = Number.NaN;
  const close = () => {
    if (!Number.isNaN(first)) parts.push(first === last ? String(first) : `${first}–${last}`);
  };
  for (const number of sorted) {
    if (number === last + 1) {
      last = number;
      continue;
    }
    close();
    first = number;
    last = number;
  }
  close();
  return parts.join(', ');
}
