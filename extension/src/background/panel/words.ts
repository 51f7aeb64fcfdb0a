/**
 * Stored messages in words, for people: read back with the wire that wrote them.
 */
import { sha256 } from '@throughline/shared/base/digest';
import { parseJson } from '@throughline/shared/base/json';
import { coresOf } from '@throughline/shared/fold/core';
import type { TranscriptRow } from '@throughline/shared/fold/ledger';
import type { Exchange, Message, WireId } from '@throughline/shared/neutral/message';
import { wireOf } from '@throughline/shared/wire/registry';

const LIST: Readonly<Record<WireId, string>> = {
  'openai-chat': 'messages',
  'openai-responses': 'input',
  'anthropic-messages': 'messages',
  gemini: 'contents',
  'ollama-chat': 'messages',
};

/** The row as the only message of a request, or null when its wire is unknown here or its original was not stored. */
function exchangeOfRow(row: TranscriptRow): Exchange | null {
  const wire = wireOf(row.wire);
  const document = row.raw === '' ? null : parseJson(`{"${LIST[row.wire]}":[${row.raw}]}`);
  return wire && document ? wire.parse({ method: 'POST', url: 'https://localhost/' }, document, sha256) : null;
}

/** What a person would read of the message. */
function textOfMessage(message: Message): string {
  return message.parts
    .map((part) => {
      if (part.kind === 'text' || part.kind === 'reasoning' || part.kind === 'refusal' || part.kind === 'result')
        return part.text;
      if (part.kind === 'call') return `${part.name}(${part.arguments})`;
      return part.kind === 'media' ? `[${part.media.slice(0, 80)}]` : '';
    })
    .filter((text) => text !== '')
    .join('\n');
}

/** The row's text; its raw form where nothing better is known. */
export function textOfRow(row: TranscriptRow): string {
  const message = exchangeOfRow(row)?.messages[0];
  return message ? textOfMessage(message) : row.raw;
}

/** True when the stored bytes still give the core ids that were recorded when the message was first seen. */
export function rowHolds(row: TranscriptRow): boolean {
  const exchange = exchangeOfRow(row);
  if (!exchange) return false;
  const ids = coresOf(exchange, sha256).map((core) => core.id);
  return ids.length === row.cores.length && ids.every((id, at) => id === row.cores[at]?.id);
}
