/** The demo chat's requests: one function a protocol, as an ordinary page writes them. */
import type { Chat, Message } from './store.ts';

const KEY = 'demo-key';

interface Protocol {
  readonly path: string;
  headers(): Record<string, string>;
  body(chat: Chat, system: string, messages: readonly Message[]): unknown;
  /** The text in one event of the stream, '' when it carries none; throws what the provider says went wrong. */
  text(event: { type?: string; [key: string]: unknown }): string;
}

interface Delta {
  choices?: { delta?: { content?: string | null } }[];
  delta?: { text?: string };
  error?: { message?: string };
}

const plain = (messages: readonly Message[]) => messages.map(({ role, text }) => ({ role, content: text }));

const PROTOCOLS: Record<string, Protocol> = {
  'openai-chat': {
    path: '/v1/chat/completions',
    headers: () => ({ authorization: `Bearer ${KEY}` }),
    body: (chat, system, messages) => ({
      model: chat.model,
      messages: [{ role: 'system', content: system }, ...plain(messages)],
      stream: true,
      stream_options: { include_usage: true },
    }),
    text: (event) => (event as Delta).choices?.[0]?.delta?.content ?? '',
  },
  'anthropic-messages': {
    path: '/v1/messages',
    headers: () => ({
      'x-api-key': KEY,
      'anthropic-version': '2023-06-01',
      'anthropic-dangerous-direct-browser-access': 'true',
    }),
    body: (chat, system, messages) => ({
      model: chat.model,
      max_tokens: 2048,
      system,
      messages: plain(messages),
      stream: true,
    }),
    text: (event) => (event.type === 'content_block_delta' ? ((event as Delta).delta?.text ?? '') : ''),
  },
};

async function failure(response: Response): Promise<string> {
  const text = await response.text();
  try {
    return (JSON.parse(text) as Delta).error?.message ?? text;
  } catch {
    // Not JSON: shown as it is.
    return text || `The server answered ${response.status}.`;
  }
}

/** Streams the answer to these messages, piece by piece. Throws an Error with the provider's sentence. */
export async function* ask(chat: Chat, messages: readonly Message[], signal: AbortSignal): AsyncGenerator<string> {
  const protocol = PROTOCOLS[chat.wire];
  if (protocol === undefined) throw new Error(`Unknown protocol: ${chat.wire}.`);
  const system = `You are a friendly assistant in a demo chat.${chat.long ? ' Answer at length.' : ''}`;
  const response = await fetch(protocol.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...protocol.headers() },
    body: JSON.stringify(protocol.body(chat, system, messages)),
    signal,
  });
  if (!response.ok || response.body === null) throw new Error(await failure(response));
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += decoder.decode(value, { stream: true });
    const events = rest.split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const data = /^data: (.*)$/m.exec(event)?.[1] ?? '';
      if (data === '' || data === '[DONE]') continue;
      const parsed = JSON.parse(data) as Delta & { type?: string };
      if (parsed.error !== undefined) throw new Error(parsed.error.message ?? 'The provider reported an error.');
      const text = protocol.text(parsed as { type?: string });
      if (text !== '') yield text;
    }
  }
}
