/**
 * Every wire Throughline speaks: adding one is its folder and one line here.
 */
import type { JsonDocument } from '#base/json';
import type { WireId } from '#neutral/message';
import { anthropicMessages } from './anthropic-messages/index.ts';
import { gemini } from './gemini/index.ts';
import { ollamaChat } from './ollama-chat/index.ts';
import { openaiChat } from './openai-chat/index.ts';
import { openaiResponses } from './openai-responses/index.ts';
import type { RequestHead, Wire } from './wire.ts';

export const wires: readonly Wire[] = [openaiChat, openaiResponses, anthropicMessages, gemini, ollamaChat];

/** The wire that recognises the request, or null: then it passes untouched. */
export function recognise(head: RequestHead, body: JsonDocument): Wire | null {
  return wires.find((wire) => wire.recognise(head, body)) ?? null;
}

/** The wire of this name, or null when this build does not speak it. */
export function wireOf(id: WireId): Wire | null {
  return wires.find((wire) => wire.id === id) ?? null;
}
