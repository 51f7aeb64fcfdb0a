/** anthropic-messages: `POST /v1/messages`. */
import { isObject, strange, words } from '../shape.ts';
import { sign } from '../signature.ts';
import { pieces } from '../tokens.ts';
import {
  type Asked,
  type CheckContext,
  type Checked,
  type ModelWire,
  type Priced,
  type Refusal,
  refuse,
  type Spoken,
} from '../wire.ts';
import { bad, checkMessages } from './anthropic-messages-blocks.ts';

const PARAMETERS = words(
  'model messages max_tokens system stream temperature top_p top_k stop_sequences metadata tools tool_choice thinking service_tier container context_management output_config',
);

const unauthorised = (message: string): Refusal => ({ status: 401, message, type: 'authentication_error' });

function checkHead(headers: CheckContext['headers']): Refusal | null {
  const foreign = headers.origin !== undefined && new URL(headers.origin).host !== headers.host;
  if (foreign && headers['anthropic-dangerous-direct-browser-access'] !== 'true') {
    return unauthorised("CORS requests must set 'anthropic-dangerous-direct-browser-access' header");
  }
  const bearer = /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  const key = headers['x-api-key'] ?? bearer;
  if (key === undefined || key === '') return unauthorised('x-api-key header is required');
  if (key === 'invalid') return unauthorised('invalid x-api-key');
  return headers['anthropic-version'] === undefined ? bad('anthropic-version: header is required') : null;
}

function systemOf(system: unknown): { text: string; marks: boolean } | Refusal {
  if (system === undefined) return { text: '', marks: false };
  if (typeof system === 'string') return { text: system, marks: false };
  if (!Array.isArray(system)) return bad('system: Input should be a valid list');
  const wrong = system.findIndex((block) => !isObject(block) || block.type !== 'text' || typeof block.text !== 'string');
  if (wrong >= 0) return bad(`system.${wrong}.text: Field required`);
  if (system.some((block) => block.text === '')) return bad('system: text content blocks must be non-empty');
  return { text: system.map((block) => block.text).join('\n\n'), marks: system.some((block) => block.cache_control != null) };
}

function check(body: unknown, { headers, windows }: CheckContext): Checked {
  const refused = checkHead(headers);
  if (refused !== null) return refuse(refused);
  if (!isObject(body)) return refuse(bad('The request body is not valid JSON: unexpected character: line 1 column 1 (char 0)'));
  const { model, messages, max_tokens } = body;
  if (typeof model !== 'string') return refuse(bad('model: Field required'));
  if (max_tokens === undefined) return refuse(bad('max_tokens: Field required'));
  if (!Number.isInteger(max_tokens)) return refuse(bad('max_tokens: Input should be a valid integer'));
  if (Number(max_tokens) < 1) return refuse(bad('max_tokens: Input should be greater than or equal to 1'));
  if (messages === undefined) return refuse(bad('messages: Field required'));
  if (!Array.isArray(messages)) return refuse(bad('messages: Input should be a valid list'));
  if (messages.length === 0) return refuse(bad('messages: at least one message is required'));
  const extra = strange(body, PARAMETERS);
  if (extra !== null) return refuse(bad(`${extra}: Extra inputs are not permitted`));
  if (body.stream !== undefined && typeof body.stream !== 'boolean')
    return refuse(bad('stream: Input should be a valid boolean'));
  if (!windows.has(model)) return refuse({ status: 404, message: `model: ${model}`, type: 'not_found_error' });
  const thinking = isObject(body.thinking) && body.thinking.type === 'enabled';
  if (thinking) {
    const budget = Number((body.thinking as { budget_tokens?: unknown }).budget_tokens);
    if (!(budget >= 1024)) return refuse(bad('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024'));
    if (budget >= Number(max_tokens)) return refuse(bad('`max_tokens` must be greater than `thinking.budget_tokens`.'));
  }
  const system = systemOf(body.system);
  if ('status' in system) return refuse(system);
  const checked = checkMessages(messages);
  if ('status' in checked) return refuse(checked);
  const tools = Array.isArray(body.tools) ? body.tools : [];
  const environment = [tools.length > 0 ? JSON.stringify(tools) : '', system.text].filter((text) => text !== '');
  return {
    ok: true,
    asked: {
      model,
      stream: body.stream === true,
      system: system.text,
      said: checked.said,
      prompt: [...environment, ...messages.map((message) => JSON.stringify(message))],
      maxOutput: Number(max_tokens),
      tools: tools.map((tool) => (isObject(tool) ? String(tool.name) : '')),
      thinking,
      usageInStream: true,
      marksCache: system.marks || checked.marks,
    },
  };
}

/** Anthropic counts cached tokens beside `input_tokens`, never inside it. What is marked and not yet cached is written. */
function usageOf(asked: Asked, priced: Priced, output: number): object {
  const written = asked.marksCache ? priced.fresh : 0;
  return {
    input_tokens: priced.fresh - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: priced.cached,
    output_tokens: output,
  };
}

const STOP = { end: 'end_turn', length: 'max_tokens', calls: 'tool_use' } as const;

function blocksOf(spoken: Spoken): { start: object; deltas: object[]; whole: object }[] {
  const blocks: { start: object; deltas: object[]; whole: object }[] = [];
  if (spoken.thinking !== '') {
    const signature = sign(spoken.thinking);
    blocks.push({
      start: { type: 'thinking', thinking: '', signature: '' },
      deltas: [
        ...pieces(spoken.thinking, 24).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature },
      ],
      whole: { type: 'thinking', thinking: spoken.thinking, signature },
    });
  }
  if (spoken.text !== '') {
    blocks.push({
      start: { type: 'text', text: '' },
      deltas: pieces(spoken.text, 24).map((text) => ({ type: 'text_delta', text })),
      whole: { type: 'text', text: spoken.text },
    });
  }
  for (const { id, name, arguments: input } of spoken.calls) {
    blocks.push({
      start: { type: 'tool_use', id, name, input: {} },
      deltas: pieces(input, 24).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
      whole: { type: 'tool_use', id, name, input: JSON.parse(input) },
    });
  }
  return blocks;
}

const head = (asked: Asked, spoken: Spoken) => ({
  id: `msg_${spoken.id}`,
  type: 'message',
  role: 'assistant',
  model: asked.model,
});

function events(asked: Asked, spoken: Spoken): readonly string[] {
  const event = (data: { type: string; [key: string]: unknown }): string =>
    `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
  const message = {
    ...head(asked, spoken),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: usageOf(asked, spoken.priced, 1),
  };
  return [
    event({ type: 'message_start', message }),
    event({ type: 'ping' }),
    ...blocksOf(spoken).flatMap(({ start, deltas }, index) => [
      event({ type: 'content_block_start', index, content_block: start }),
      ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
      event({ type: 'content_block_stop', index }),
    ]),
    event({
      type: 'message_delta',
      delta: { stop_reason: STOP[spoken.stop], stop_sequence: null },
      usage: { output_tokens: spoken.priced.output },
    }),
    event({ type: 'message_stop' }),
  ];
}

export const anthropicMessages: ModelWire = {
  id: 'anthropic-messages',
  matches: (path) => path.endsWith('/v1/messages'),
  check,
  refusalBody: ({ type, message }) => ({ type: 'error', error: { type, message } }),
  tooLong: (tokens, window) => bad(`prompt is too long: ${tokens} tokens > ${window} maximum`),
  tooLarge: () => ({ status: 413, message: 'Request exceeds the maximum size', type: 'request_too_large' }),
  whole: (asked, spoken) => ({
    ...head(asked, spoken),
    content: blocksOf(spoken).map((block) => block.whole),
    stop_reason: STOP[spoken.stop],
    stop_sequence: null,
    usage: usageOf(asked, spoken.priced, spoken.priced.output),
  }),
  events,
  streamError: (_asked, refusal) => `event: error\ndata: ${JSON.stringify(anthropicMessages.refusalBody(refusal))}\n\n`,
};
