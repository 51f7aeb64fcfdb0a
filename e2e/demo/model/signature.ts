/** Signatures of thinking blocks. Only a block this model wrote, unchanged to the last byte, is taken back. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Not a secret: the demo model protects nothing, it only has to notice changed bytes, also after a restart. */
const KEY = 'demo model thinking signature';

const mac = (thinking: string): Buffer => createHmac('sha256', KEY).update(thinking, 'utf8').digest();

/** The signature that goes out with a thinking block. */
export const sign = (thinking: string): string => mac(thinking).toString('base64');

/** Did this model write this block? */
export function signed(thinking: string, signature: string): boolean {
  const given = Buffer.from(signature, 'base64');
  const expected = mac(thinking);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Is this redacted block one of ours? Redacted thinking carries its text in `data`: `<base64 text>.<signature>`. */
export function redacted(data: string): boolean {
  const [text = '', signature = ''] = data.split('.');
  return signed(Buffer.from(text, 'base64').toString('utf8'), signature);
}
