import { anthropicMessages } from '../../src/wire/anthropic-messages/index.ts';
import { gemini as geminiWire } from '../../src/wire/gemini/index.ts';
import { ollamaChat } from '../../src/wire/ollama-chat/index.ts';
import { openaiChat } from '../../src/wire/openai-chat/index.ts';
import { openaiResponses } from '../../src/wire/openai-responses/index.ts';
import { loadGoldens } from '../golden/load.ts';

export const openai = {
  wire: openaiChat,
  goldens: loadGoldens('openai-chat', 'https://api.example.com/v1/chat/completions'),
};
export const responses = {
  wire: openaiResponses,
  goldens: loadGoldens('openai-responses', 'https://api.example.com/v1/responses', 'input'),
};
export const anthropic = {
  wire: anthropicMessages,
  goldens: loadGoldens('anthropic-messages', 'https://api.example.com/v1/messages'),
};
export const gemini = {
  wire: geminiWire,
  goldens: loadGoldens(
    'gemini',
    'https://generativelanguage.example.com/v1beta/models/gemini-2.5-flash:streamGenerateContent',
    'contents',
  ),
};
export const ollama = {
  wire: ollamaChat,
  goldens: loadGoldens('ollama-chat', 'https://ollama.example.com/api/chat'),
};
