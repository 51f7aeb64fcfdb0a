/**
 * WebCrypto in the words of the core: hex in, hex out. Keys are non-extractable once imported.
 */
import type { Digest } from '@throughline/shared/base/brand';
import type { Sha256Async } from '@throughline/shared/base/digest';
import { encodeUtf8 } from '@throughline/shared/base/utf8';

/** Lower-case hex of the bytes. */
export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
  return text;
}

/** Bytes of a hex string, or null when it is none. */
export function fromHex(text: string): Uint8Array<ArrayBuffer> | null {
  if (text.length % 2 !== 0 || !/^[0-9a-f]*$/.test(text)) return null;
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = Number.parseInt(text.slice(at * 2, at * 2 + 2), 16);
  return bytes;
}

/** Random bytes as hex. */
export function randomHex(bytes: number): string {
  return toHex(crypto.getRandomValues(new Uint8Array(bytes)));
}

const owned = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => bytes as Uint8Array<ArrayBuffer>;

/** sha256 by the browser's own engine. */
export const subtleSha256: Sha256Async = async (data) => {
  const bytes = typeof data === 'string' ? encodeUtf8(data) : data;
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', owned(bytes)))) as Digest;
};

function importMac(key: Uint8Array): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', owned(key), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
}

/** HMAC-SHA-256 of the words, hex. */
export async function mac(key: Uint8Array, words: string): Promise<string> {
  const signed = await crypto.subtle.sign('HMAC', await importMac(key), owned(encodeUtf8(words)));
  return toHex(new Uint8Array(signed));
}

/** True when `claimed` is the HMAC of the words; compared in constant time by the browser. */
export async function macHolds(key: Uint8Array, words: string, claimed: string): Promise<boolean> {
  const bytes = fromHex(claimed);
  if (!bytes) return false;
  return crypto.subtle.verify('HMAC', await importMac(key), bytes, owned(encodeUtf8(words)));
}

/** An ephemeral P-256 key pair: the public point in hex, and the key that a peer's point turns into `bytes` of secret. */
export async function ephemeral(): Promise<{
  readonly publicKey: string;
  derive(peer: string, salt: Uint8Array, info: string): Promise<Uint8Array | null>;
}> {
  const pair = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, false, ['deriveBits']);
  const raw = await crypto.subtle.exportKey('raw', pair.publicKey);
  return {
    publicKey: toHex(new Uint8Array(raw)),
    async derive(peer, salt, info) {
      const point = fromHex(peer);
      if (!point) return null;
      const theirs = await crypto.subtle.importKey('raw', point, { name: 'ECDH', namedCurve: 'P-256' }, false, []);
      const secret = await crypto.subtle.deriveBits({ name: 'ECDH', public: theirs }, pair.privateKey, 256);
      const base = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits']);
      const bits = await crypto.subtle.deriveBits(
        { name: 'HKDF', hash: 'SHA-256', salt: owned(salt), info: owned(encodeUtf8(info)) },
        base,
        256,
      );
      return new Uint8Array(bits);
    },
  };
}
