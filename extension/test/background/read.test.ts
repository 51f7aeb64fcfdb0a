/** What a page wrote is read, or there is a code that says why not. */
import { expect, it } from 'vitest';
import { readRequest } from '../../src/background/read.ts';

const MIB = 1024 * 1024;
const request = { method: 'POST', url: 'https://api.example/v1/chat/completions', headers: [] };
const encode = (text: string) => new TextEncoder().encode(text);
const read = async (body: Uint8Array, url = request.url) => {
  const found = await readRequest({ ...request, url }, body);
  return found.ok ? found.read.exchange.wire : found.code;
};

it('a body is read up to 64 MiB, as the companion takes it, and is none of ours above', async () => {
  const tooMany = new Uint8Array(64 * MIB + 1).fill(0x78);
  expect(await read(tooMany)).toBe('too-large');
  // It was read, and is no JSON.
  expect(await read(tooMany.subarray(1))).toBe('not-json');
});

it.each([
  ['bytes that are no text', Uint8Array.of(0x7b, 0xff, 0x7d), 'not-utf8'],
  ['a packed body', Uint8Array.of(0x1f, 0x8b, 0x08, 0x00), 'not-utf8'],
  ['a text that is no JSON', encode('{"messages":[}'), 'not-json'],
  ['JSON of another shape', encode('{"prompt":"hello"}'), 'unknown-wire'],
])('%s is not ours, and never an error', async (_what, body, code) => {
  expect(await read(body)).toBe(code);
});

it.each([
  ['previous_response_id', { previous_response_id: 'resp_1', input: [{ role: 'user', content: 'why funny?' }] }],
  ['conversation', { conversation: { id: 'conv_1' }, input: 'why funny?' }],
  ['item_reference', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
])('a history that the provider holds (%s) is not ours', async (_what, body) => {
  expect(await read(encode(JSON.stringify(body)), 'https://api.example/v1/responses')).toBe('server-held');
});
