/** openai-chat: `POST /v1/chat/completions`. */
import { isObject, kindOf, strange, words } from '../shape.ts';
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
import { bad, checkMessages } from './openai-chat-messages.ts';

const PARAMETERS = words(
  'model messages stream stream_options max_tokens max_completion_tokens temperature top_p n stop presence_penalty frequency_penalty ' +
    'logit_bias logprobs top_logprobs user seed tools tool_choice parallel_tool_calls functions function_call response_format ' +
    'reasoning_effort verbosity service_tier store metadata modalities audio prediction web_search_options prompt_cache_key safety_identifier',
);

const NO_KEY =
  "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).";

const unauthorised = (message: string, code: string | null): Refusal => ({
  status: 401,
  message,
  type: 'invalid_request_error',
  param: null,
  code,
});

function check(body: unknown, { headers, windows }: CheckContext): Checked {
  const key = /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (key === undefined) return refuse(unauthorised(NO_KEY, null));
  if (key === 'invalid') return refuse(unauthorised('Incorrect API key provided: invalid.', 'invalid_api_key'));
  if (!isObject(body)) {
    return refuse(
      bad(
        "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload.)",
        null,
      ),
    );
  }
  const { model, messages } = body;
  if (typeof model !== 'string' || model === '') return refuse(bad('you must provide a model parameter', null));
  if (!windows.has(model)) {
    const message = `The model \`${model}\` does not exist or you do not have access to it.`;
    return refuse({ status: 404, message, type: 'invalid_request_error', param: null, code: 'model_not_found' });
  }
  const extra = strange(body, PARAMETERS);
  if (extra !== null) return refuse(bad(`Unknown parameter: '${extra}'.`, extra, 'unknown_parameter'));
  if (messages === undefined)
    return refuse(bad("Missing required parameter: 'messages'.", 'messages', 'missing_required_parameter'));
  if (!Array.isArray(messages)) {
    return refuse(
      bad(
        `Invalid type for 'messages': expected an array of objects, but got ${kindOf(messages)} instead.`,
        'messages',
        'invalid_type',
      ),
    );
  }
  if (messages.length === 0) {
    return refuse(
      bad(
        "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
        'messages',
        'empty_array',
      ),
    );
  }
  const stream = body.stream ?? false;
  if (typeof stream !== 'boolean') {
    return refuse(
      bad(`Invalid type for 'stream': expected a boolean, but got ${kindOf(stream)} instead.`, 'stream', 'invalid_type'),
    );
  }
  if (body.stream_options != null && !stream) {
    return refuse(bad("The 'stream_options' parameter is only allowed when 'stream' is enabled.", 'stream_options'));
  }
  for (const name of ['max_tokens', 'max_completion_tokens']) {
    const value = body[name];
    if (value == null) continue;
    if (!Number.isInteger(value))
      return refuse(
        bad(`Invalid type for '${name}': expected an integer, but got ${kindOf(value)} instead.`, name, 'invalid_type'),
      );
    if (Number(value) < 1)
      return refuse(
        bad(
          `Invalid '${name}': integer below minimum value. Expected a value >= 1, but got ${value} instead.`,
          name,
          'integer_below_min_value',
        ),
      );
  }
  const checked = checkMessages(messages);
  if ('status' in checked) return refuse(checked);
  const tools = Array.isArray(body.tools) ? body.tools : [];
  const names = tools.map((tool) => (isObject(tool) && isObject(tool.function) ? String(tool.function.name) : ''));
  return {
    ok: true,
    asked: {
      model,
      stream,
      system: checked.system,
      said: checked.said,
      prompt: [...(tools.length > 0 ? [JSON.stringify(tools)] : []), ...messages.map((message) => JSON.stringify(message))],
      maxOutput: Number(body.max_completion_tokens ?? body.max_tokens ?? 0) || null,
      tools: names,
      thinking: false,
      usageInStream: isObject(body.stream_options) && body.stream_options.include_usage === true,
      marksCache: false,
    },
  };
}

/** OpenAI counts cached tokens inside `prompt_tokens`. */
const usageOf = (priced: Priced): unknown => ({
  prompt_tokens: priced.cached + priced.fresh,
  completion_tokens: priced.output,
  total_tokens: priced.cached + priced.fresh + priced.output,
  prompt_tokens_details: { cached_tokens: priced.cached, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
});

const FINISH = { end: 'stop', length: 'length', calls: 'tool_calls' } as const;
const callsOf = (spoken: Spoken): unknown[] =>
  spoken.calls.map((call, index) => ({
    index,
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }));
const head = (asked: Asked, spoken: Spoken, object: string) => ({
  id: `chatcmpl-${spoken.id}`,
  object,
  created: 1_700_000_000,
  model: asked.model,
  system_fingerprint: 'fp_demo',
});

function events(asked: Asked, spoken: Spoken): readonly string[] {
  const event = (fields: object): string =>
    `data: ${JSON.stringify({ ...head(asked, spoken, 'chat.completion.chunk'), ...fields })}\n\n`;
  const delta = (value: object, finish: string | null = null): string =>
    event({
      choices: [{ index: 0, delta: value, logprobs: null, finish_reason: finish }],
      ...(asked.usageInStream ? { usage: null } : {}),
    });
  return [
    delta({ role: 'assistant', content: spoken.calls.length > 0 ? null : '', refusal: null }),
    ...pieces(spoken.text, 24).map((content) => delta({ content })),
    ...(spoken.calls.length > 0 ? [delta({ tool_calls: callsOf(spoken) })] : []),
    delta({}, FINISH[spoken.stop]),
    ...(asked.usageInStream ? [event({ choices: [], usage: usageOf(spoken.priced) })] : []),
    'data: [DONE]\n\n',
  ];
}

export const openaiChat: ModelWire = {
  id: 'openai-chat',
  matches: (path) => path.endsWith('/chat/completions'),
  check,
  refusalBody: ({ message, type, param = null, code = null }) => ({ error: { message, type, param, code } }),
  tooLong: (tokens, window) =>
    bad(
      `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
      'messages',
      'context_length_exceeded',
    ),
  tooLarge: () => ({
    status: 413,
    message: 'The request body is too large.',
    type: 'invalid_request_error',
    param: null,
    code: 'request_too_large',
  }),
  whole: (asked, spoken) => ({
    ...head(asked, spoken, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: spoken.calls.length > 0 ? null : spoken.text,
          refusal: null,
          ...(spoken.calls.length > 0 ? { tool_calls: callsOf(spoken) } : {}),
        },
        logprobs: null,
        finish_reason: FINISH[spoken.stop],
      },
    ],
    usage: usageOf(spoken.priced),
  }),
  events,
};
