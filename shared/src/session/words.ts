/**
 * Stored messages in words, for people: read back with the wire that wrote them. What cannot be read back is shown raw, never
 * left out.
 */
import type { Sha256 } from '#base/digest';
import { parseJson } from '#base/json';
import { coresOf } from '#fold/core';
import type { TranscriptRow } from '#fold/ledger';
import type { Exchange, Message, WireId } from '#neutral/message';
import { wireOf } from '#wire/registry';

const LIST: Readonly<Record<WireId, string>> = {
  'openai-chat': 'messages',
  'openai-responses': 'input',
  'anthropic-messages': 'messages',
  gemini: 'contents',
  'ollama-chat': 'messages',
};

/** The row as the only message of a request, or null when its wire is unknown here or its original was not stored. */
function exchangeOfRow(row: TranscriptRow, hash: Sha256): Exchange | null {
  const wire = wireOf(row.wire);
  const document = row.raw === '' ? null : parseJson(`{"${LIST[row.wire]}":[${row.raw}]}`);
  return wire && document ? wire.parse({ method: 'POST', url: 'https://localhost/' }, document, hash) : null;
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
export function textOfRow(row: TranscriptRow, hash: Sha256): string {
  const message = exchangeOfRow(row, hash)?.messages[0];
  return message ? textOfMessage(message) : row.raw;
}

/** True when the stored bytes still give the core ids that were recorded when the message was first seen. */
export function rowHolds(row: TranscriptRow, hash: Sha256): boolean {
  const exchange = exchangeOfRow(row, hash);
  if (!exchange) return false;
  const ids = coresOf(exchange, hash).map((core) => core.id);
  return ids.length === row.cores.length && ids.every((id, at) => id === row.cores[at]?.id);
}
