/**
 * What the lane itself says when a request cannot be carried: a code, one sentence and what to do, in the shape that the client's wire
 * uses for errors, so that its SDK shows the sentence. Nothing of the request is quoted.
 */
import type { ServerResponse } from 'node:http';
import type { WireId } from '@throughline/shared/neutral/message';

export interface LaneRefusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

const SENTENCES: Readonly<Record<string, readonly [status: number, message: string]>> = {
  'no-upstream': [404, 'The path names no upstream. Put the provider’s base URL, with https://, behind the lane key.'],
  'upstream-url': [400, 'The upstream URL cannot be read. Put the provider’s base URL, with https://, behind the lane key.'],
  'upstream-userinfo': [400, 'The upstream URL holds a user name or password. Send the key in a header instead.'],
  'upstream-not-approved': [
    403,
    'An upstream without https has to be approved by name. Start the companion with --allow-upstream and its origin.',
  ],
  'upstream-address': [
    403,
    'The upstream leads to a private address. If that is wanted, start the companion with --allow-upstream and its origin.',
  ],
  'upstream-self': [400, 'The upstream is this companion. Name the provider behind the lane key.'],
  'bad-header': [400, 'A header of the request cannot be carried. Remove line breaks and control characters.'],
  'body-too-large': [413, 'The request body is larger than 64 MiB. Send less, or call the provider directly.'],
  'body-encoded': [415, 'The request body is compressed, which is not read here. Send it plain.'],
  'upstream-timeout': [504, 'The provider did not answer in time. Try again, or raise upstream.firstByteSeconds.'],
  'upstream-unreachable': [502, 'The provider could not be reached. Check the network, the proxy and the URL, then try again.'],
  'not-built': [501, 'This build has no such word on the lane. Update the companion.'],
  'bad-registration': [400, 'A registration is {"conversation": ID, "parent": ID}, 1 to 200 characters. Nothing was kept.'],
};

/** The refusal of this code. */
export function refusalOf(code: string): LaneRefusal {
  const [status, message] = SENTENCES[code] ?? [502, 'The companion could not carry this request. Try again.'];
  return { status, code, message };
}

/** The code for what an upstream call failed with. */
export function failureCode(code: string): string {
  if (code === 'TL_ADDRESS') return 'upstream-address';
  return /TIMEOUT/i.test(code) ? 'upstream-timeout' : 'upstream-unreachable';
}

/** Answers with the refusal; nothing was answered before. */
export function refuse(
  response: ServerResponse,
  { status, code, message }: LaneRefusal,
  wire: WireId | null,
  headers: readonly (readonly [string, string])[],
): void {
  const body = JSON.stringify(shapeOf(wire, status, code, message));
  response.writeHead(status, { 'content-type': 'application/json', ...Object.fromEntries(headers) }).end(body);
}

function shapeOf(wire: WireId | null, status: number, code: string, message: string): unknown {
  const type = 'throughline_error';
  switch (wire) {
    case 'anthropic-messages':
      return { type: 'error', error: { type, message, code } };
    case 'gemini':
      return { error: { code: status, message, status: code } };
    case 'ollama-chat':
      return { error: message, code };
    default:
      return { error: { message, type, param: null, code } };
  }
}
