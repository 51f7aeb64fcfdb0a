/**
 * Media in identity: `sha256:` of the decoded bytes for data, `url:` for links, the same on every wire, so that one picture is
 * one picture however a client spells it. Data that does not decode gives null, and its message becomes opaque.
 */
import type { Sha256 } from '#base/digest';
import { encodeUtf8 } from '#base/utf8';
import { decodeBase64 } from './base64.ts';

/** Media given as base64. */
export function mediaOfBase64(data: string, hash: Sha256): string | null {
  const bytes = decodeBase64(data);
  return bytes === null ? null : `sha256:${hash(bytes)}`;
}

/** Media given as plain text (a text document). */
export function mediaOfText(text: string, hash: Sha256): string {
  return `sha256:${hash(encodeUtf8(text))}`;
}

/** Media given as a URL, which may be a data URL. */
export function mediaOfUrl(url: string, hash: Sha256): string | null {
  if (!/^data:/i.test(url)) return `url:${url}`;
  const comma = url.indexOf(',');
  if (comma < 0) return null;
  const data = url.slice(comma + 1);
  if (/;\s*base64\s*$/i.test(url.slice(5, comma))) return mediaOfBase64(data, hash);
  try {
    return mediaOfText(decodeURIComponent(data), hash);
  } catch {
    return null; // percent-encoded bytes that are no UTF-8: not understood
  }
}
