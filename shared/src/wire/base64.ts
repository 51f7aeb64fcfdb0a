/**
 * Base64 to bytes, standard and URL-safe alphabet, padded or not. Anything else is null, so that doubtful data is never hashed
 * as if it were understood.
 */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES = (() => {
  const values = new Uint8Array(128).fill(255);
  for (const [value, symbol] of [...ALPHABET].entries()) values[symbol.charCodeAt(0)] = value;
  values['-'.charCodeAt(0)] = 62;
  values['_'.charCodeAt(0)] = 63;
  return values;
})();

/** The bytes, or null when the text is not base64. Line breaks and spaces are skipped. */
export function decodeBase64(text: string): Uint8Array | null {
  const symbols = (/\s/.test(text) ? text.replace(/\s+/g, '') : text).replace(/={1,2}$/, '');
  if (symbols.length % 4 === 1) return null;
  const bytes = new Uint8Array(Math.floor((symbols.length * 3) / 4));
  let held = 0;
  let bits = 0;
  let length = 0;
  for (let at = 0; at < symbols.length; at += 1) {
    const value = VALUES[symbols.charCodeAt(at)] ?? 255;
    if (value === 255) return null;
    held = ((held << 6) | value) & 0xffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[length] = (held >> bits) & 0xff;
      length += 1;
    }
  }
  return bytes;
}
