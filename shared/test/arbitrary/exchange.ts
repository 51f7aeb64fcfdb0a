/**
 * Exchanges built directly from messages, without any wire: small builders for tests of identity.
 */
import type { Exchange, Message, MessageRole, Part, WireId } from '#neutral/message';

export type MessageSketch = Omit<Message, 'index' | 'source'>;

export const text = (value: string): Part => ({ kind: 'text', text: value });
export const reasoning = (value: string): Part => ({ kind: 'reasoning', text: value });
export const media = (value: string): Part => ({ kind: 'media', media: value });
export const refusal = (value: string): Part => ({ kind: 'refusal', text: value });
export const call = (name: string, args = '{}'): Part => ({ kind: 'call', name, arguments: args, source: args });
export const result = (value: string): Part => ({ kind: 'result', text: value });

/** A message of this role; strings are text parts. */
export function says(role: MessageRole, ...parts: (string | Part)[]): MessageSketch {
  return { role, parts: parts.map((part) => (typeof part === 'string' ? text(part) : part)) };
}
export const user = (...parts: (string | Part)[]): MessageSketch => says('user', ...parts);
export const assistant = (...parts: (string | Part)[]): MessageSketch => says('assistant', ...parts);
export const system = (...parts: (string | Part)[]): MessageSketch => says('system', ...parts);
export const tool = (...parts: (string | Part)[]): MessageSketch => says('tool', ...parts);

export interface ExchangeSketch {
  readonly wire?: WireId;
  readonly model?: string;
  readonly system?: string;
  readonly tools?: string | null;
  readonly maxOutput?: number | null;
  readonly delta?: string;
  readonly source?: string;
}

/** A request with these messages. */
export function exchange(messages: readonly MessageSketch[], sketch: ExchangeSketch = {}): Exchange {
  return {
    wire: sketch.wire ?? 'openai-chat',
    source: sketch.source ?? '',
    environment: {
      model: sketch.model ?? 'demo-1',
      system: sketch.system ?? '',
      tools: sketch.tools ?? null,
      constrained: false,
      maxOutput: sketch.maxOutput ?? null,
    },
    messages: messages.map((message, index) => ({ ...message, index, source: { start: 0, end: 0 } })),
    stream: true,
    list: { start: 0, end: 0 },
    ...(sketch.delta === undefined ? {} : { delta: sketch.delta }),
  };
}

/** A conversation in shorthand: user, assistant, user … in turn. */
export function dialogue(...lines: readonly string[]): MessageSketch[] {
  return lines.map((line, index) => (index % 2 === 0 ? user(line) : assistant(line)));
}
