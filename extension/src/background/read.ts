/**
 * From the bytes a page wrote to an exchange with its chains, or the code that says why it is not ours. Nothing here can send.
 */
import type { Digest } from '@throughline/shared/base/brand';
import { driveAsync, sha256 } from '@throughline/shared/base/digest';
import { parseJson } from '@throughline/shared/base/json';
import { decodeUtf8 } from '@throughline/shared/base/utf8';
import { type Chains, chainsOf } from '@throughline/shared/chain/chain';
import type { Exchange } from '@throughline/shared/neutral/message';
import { recognise } from '@throughline/shared/wire/registry';
import type { PageRequest } from '../messages.ts';
import { subtleSha256 } from './crypto.ts';

const MAX_BODY = 64 * 1024 * 1024;

export interface ReadRequest {
  readonly exchange: Exchange;
  readonly chains: Chains;
  readonly digest: Digest;
}

export type Read = { readonly ok: true; readonly read: ReadRequest } | { readonly ok: false; readonly code: string };

const no = (code: string): Read => ({ ok: false, code });

/** Reads the body; every refusal is a code the popup has a sentence for. */
export async function readRequest(request: PageRequest, body: Uint8Array): Promise<Read> {
  if (body.length > MAX_BODY) return no('too-large');
  const text = decodeUtf8(body);
  if (text === null) return no('not-utf8');
  const document = parseJson(text);
  if (!document) return no('not-json');
  const head = { method: request.method, url: request.url };
  const wire = recognise(head, document);
  if (!wire) return no('unknown-wire');
  const exchange = wire.parse(head, document, sha256);
  if (exchange.delta !== undefined) return no('server-held');
  const [chains, digest] = await Promise.all([driveAsync(chainsOf(exchange), subtleSha256), subtleSha256(body)]);
  return { ok: true, read: { exchange, chains, digest } };
}
