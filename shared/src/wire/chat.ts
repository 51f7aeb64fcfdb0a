/**
 * What the two chat wires read alike in their messages: replayed reasoning, and the system text that leads them.
 */
import type { JsonDocument, JsonNode } from '#base/json';
import type { Message, MessageRole } from '#neutral/message';
import { stringMember } from './body.ts';

/** Spellings of replayed reasoning: gateways repeat the same text under two names. Two different texts are one too many. */
export const REASONING = ['reasoning_content', 'reasoning', 'thinking'] as const;

/** The different reasoning texts of a message. */
export function reasoningsOf(doc: JsonDocument, node: JsonNode): string[] {
  const texts = REASONING.map((key) => stringMember(doc, node, key) ?? '').filter((text) => text !== '');
  return [...new Set(texts)];
}

/** The texts of the leading messages of these roles, as one. */
export function leadingText(messages: readonly Message[], roles: readonly MessageRole[]): string {
  const end = messages.findIndex((message) => !roles.includes(message.role));
  const leading = messages.slice(0, end < 0 ? messages.length : end);
  const texts = leading.map((message) => message.parts.map((part) => (part.kind === 'text' ? part.text : '')).join(''));
  return texts.join('\n\n');
}
