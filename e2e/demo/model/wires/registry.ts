/** Every wire the demo model speaks: one file and one line each. */
import type { ModelWire } from '../wire.ts';
import { anthropicMessages } from './anthropic-messages.ts';
import { gemini } from './gemini.ts';
import { ollamaChat } from './ollama-chat.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';

export const modelWires: readonly ModelWire[] = [openaiChat, openaiResponses, anthropicMessages, gemini, ollamaChat];
