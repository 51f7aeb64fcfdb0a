/**
 * Headers of the http lane: what a client says about its conversation, what goes on to the provider, and what we say about the turn.
 *
 * Only words that are ours stay here; a client's own ids go on, because its provider may want them. Ids are recorded, and identify
 * nothing yet.
 */

import { type JsonDocument, type JsonNode, member, textOf } from '@throughline/shared/base/json';
import type { Resolution } from '@throughline/shared/chain/resolution';
import type { HeaderList } from '../upstream/headers.ts';

/** Where clients put the id of their conversation; the first that is there counts. */
const ID_HEADERS = [
  'x-throughline-conversation',
  'x-claude-code-session-id',
  'x-session-affinity',
  'x-acp-session',
  'x-session-id',
  'x-opencode-session',
  'x-deepseek-harness-session-id',
  'session-id',
  'session_id',
] as const;
const ID_MEMBERS = [['session_id'], ['metadata', 'session_id'], ['conversation_id'], ['prompt_cache_key']] as const;
const MAX_ID = 200;
const MAX_PATH = 1024;
const OURS = /^x-throughline-/;

export interface Said {
  /** `<field>=<id>`, or null when the client gave none. */
  readonly conversation: string | null;
  /** Session or client id of the conversation this one comes from, or the path of its session file. */
  readonly parent: string | null;
  readonly fold: 'auto' | 'off';
}

/** A header's value, or null. */
export function headerOf(headers: HeaderList, wanted: string): string | null {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? null;
}

/** What the client says about the conversation, in headers and body. */
export function said(headers: HeaderList, body: JsonDocument | null): Said {
  const parent = headerOf(headers, 'x-throughline-parent') ?? (body === null ? null : memberOf(body, ['parentConversationId']));
  return {
    conversation: idInHeaders(headers) ?? (body === null ? null : idInBody(body)),
    parent: parent === null || parent === '' || parent.length > MAX_PATH ? null : parent,
    fold: headerOf(headers, 'x-throughline-fold')?.trim().toLowerCase() === 'off' ? 'off' : 'auto',
  };
}

function idInHeaders(headers: HeaderList): string | null {
  for (const field of ID_HEADERS) {
    const id = headerOf(headers, field)?.trim() ?? '';
    if (id !== '' && id.length <= MAX_ID) return `${field}=${id}`;
  }
  return null;
}

function idInBody(body: JsonDocument): string | null {
  for (const path of ID_MEMBERS) {
    const id = memberOf(body, path)?.trim() ?? '';
    if (id !== '' && id.length <= MAX_ID) return `${path.join('.')}=${id}`;
  }
  return null;
}

function memberOf(body: JsonDocument, path: readonly string[]): string | null {
  const node = path.reduce<JsonNode | undefined>((at, key) => (at === undefined ? undefined : member(at, key)), body.root);
  return node?.kind === 'string' ? textOf(body, node) : null;
}

/** Headers that go on: everything but what is ours, and the origin of a page that only we were told of. */
export function goingOn(headers: HeaderList): [string, string][] {
  return headers.flatMap(([name, value]) => {
    const lower = name.toLowerCase();
    return OURS.test(lower) || lower === 'origin' ? [] : [[name, value] as [string, string]];
  });
}

/** The header lines of a request as they came. */
export function linesOf(raw: readonly string[]): [string, string][] {
  const lines: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) lines.push([raw[at] ?? '', raw[at + 1] ?? '']);
  return lines;
}

/** What we say about a turn. */
export function aboutTurn(
  { via, session, depth, incoming, lineage }: Resolution,
  tokens: { readonly received: number; readonly sent: number },
  note: string | null,
): [string, string][] {
  const [parent] = lineage?.parents ?? [];
  return [
    ...(session === null ? [] : [['x-throughline-session', session] as [string, string]]),
    ['x-throughline-via', via],
    ['x-throughline-depth', `${depth}/${incoming}`],
    ...(lineage === null || parent === undefined
      ? []
      : [['x-throughline-lineage', `${lineage.kind}:${parent}:${lineage.shared}`] as [string, string]]),
    ['x-throughline-tokens', `${tokens.received}/${tokens.sent}`],
    ...(note === null ? [] : [['x-throughline-note', note] as [string, string]]),
  ];
}

/** What we say about a request that goes on as it came. */
export function aboutBypass(note: string, via: 'bypass' | 'side' = 'bypass'): [string, string][] {
  return [
    ['x-throughline-via', via],
    ['x-throughline-note', note],
  ];
}
