/**
 * openai-responses: `POST /v1/responses`, and `POST /v1/conversations`, which only opens one.
 *
 * Answers are kept unless `store` is false, so `previous_response_id`, `conversation` and references work as they do at OpenAI.
 */
import { isObject, type Json, kindOf, strange, words } from '../shape.ts';
import { type Asked, type CheckContext, type Checked, type ModelWire, type Refusal, refuse, type Spoken } from '../wire.ts';
import { eventsOf, itemsOf, responseId, responseOf } from './openai-responses-answer.ts';
import { checkInput, ownItems, toolNames } from './openai-responses-input.ts';
import { bad, missing } from './openai-responses-items.ts';
import { answerOf, conversationOf, keepAnswer, keepConversation, openConversation } from './openai-responses-store.ts';

const PARAMETERS = words(
  'background context_management conversation include input instructions max_output_tokens max_tool_calls metadata model ' +
    'parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_retention reasoning safety_identifier service_tier ' +
    'store stream stream_options temperature text tool_choice tools top_logprobs top_p truncation user',
);
const LEAST_OUTPUT = 16;
const NO_KEY =
  "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).";

/** What a checked request needs when it is answered. */
interface Held {
  readonly body: Json;
  /** Everything said before the answer, in order. */
  readonly history: readonly Json[];
  readonly conversation: string | null;
}
const held = new WeakMap<Asked, Held>();

function checkKey(headers: CheckContext['headers']): Refusal | null {
  const refused = (message: string, code: string | null): Refusal => ({
    status: 401,
    message,
    type: 'invalid_request_error',
    param: null,
    code,
  });
  const key = /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (key === undefined) return refused(NO_KEY, null);
  return key === 'invalid' ? refused('Incorrect API key provided: invalid.', 'invalid_api_key') : null;
}

/** The id of the conversation a request belongs to, however it is written. */
function conversationId({ conversation }: Json): string | null {
  if (conversation == null) return null;
  return isObject(conversation) ? String(conversation.id) : String(conversation);
}

/** What the server holds of the history, or why it cannot be found. */
function before(body: Json): readonly Json[] | Refusal {
  const conversation = conversationId(body);
  const previous = body.previous_response_id;
  if (conversation !== null && previous != null)
    return bad(
      "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. Ensure you are only providing one of: 'previous_response_id' or 'conversation'.",
      null,
      'mutually_exclusive_parameters',
    );
  if (previous != null) {
    const found = answerOf(String(previous));
    return (
      found ?? bad(`Previous response with id '${previous}' not found.`, 'previous_response_id', 'previous_response_not_found')
    );
  }
  if (conversation === null) return [];
  const found = conversationOf(conversation);
  const message = `Conversation with id '${conversation}' not found.`;
  return found ?? { status: 404, message, type: 'invalid_request_error', param: null, code: null };
}

function checkMembers(body: Json): Refusal | null {
  const extra = strange(body, PARAMETERS);
  if (extra !== null) return bad(`Unknown parameter: '${extra}'.`, extra, 'unknown_parameter');
  for (const name of ['stream', 'store', 'background', 'parallel_tool_calls']) {
    const value = body[name];
    if (value != null && typeof value !== 'boolean')
      return bad(`Invalid type for '${name}': expected a boolean, but got ${kindOf(value)} instead.`, name, 'invalid_type');
  }
  const budget = body.max_output_tokens;
  if (budget == null) return null;
  if (!Number.isInteger(budget))
    return bad(
      `Invalid type for 'max_output_tokens': expected an integer, but got ${kindOf(budget)} instead.`,
      'max_output_tokens',
      'invalid_type',
    );
  if (Number(budget) >= LEAST_OUTPUT) return null;
  return bad(
    `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= ${LEAST_OUTPUT}, but got ${budget} instead.`,
    'max_output_tokens',
    'integer_below_min_value',
  );
}

function check(body: unknown, { headers, windows }: CheckContext): Checked {
  const unauthorised = checkKey(headers);
  if (unauthorised !== null) return refuse(unauthorised);
  if (!isObject(body))
    return refuse(bad('We could not parse the JSON body of your request. The OpenAI API expects a JSON payload.', null));
  const { model, input, instructions } = body;
  if (typeof model !== 'string') return refuse(missing('model'));
  if (!windows.has(model)) {
    const message = `The requested model '${model}' does not exist.`;
    return refuse({ status: 400, message, type: 'invalid_request_error', param: 'model', code: 'model_not_found' });
  }
  const wrong = checkMembers(body);
  if (wrong !== null) return refuse(wrong);
  if (input === undefined) return refuse(missing('input'));
  const own = ownItems(input);
  if ('status' in own) return refuse(own);
  const earlier = before(body);
  if ('status' in earlier) return refuse(earlier);
  const history = [...earlier, ...own];
  const checked = checkInput(history);
  if ('status' in checked) return refuse(checked);
  const tools = toolNames(body.tools);
  if ('status' in tools) return refuse(tools);
  const environment = [
    tools.length > 0 ? JSON.stringify(body.tools) : '',
    typeof instructions === 'string' ? instructions : '',
  ];
  const prompt = [...environment.filter((text) => text !== ''), ...history.map((item) => JSON.stringify(item))];
  const asked: Asked = {
    model,
    stream: body.stream === true,
    system: [environment[1], checked.system].filter((text) => text !== '').join('\n\n'),
    said: checked.said,
    prompt,
    maxOutput: typeof body.max_output_tokens === 'number' ? body.max_output_tokens : null,
    tools,
    thinking: isObject(body.reasoning) && (body.reasoning.effort ?? body.reasoning.summary) != null,
    usageInStream: true,
    marksCache: false,
  };
  held.set(asked, { body, history, conversation: conversationId(body) });
  return { ok: true, asked };
}

/** Keeps what was said, unless the client asked for nothing to be kept; a conversation is always kept. Gives the request's body. */
function keep(asked: Asked, spoken: Spoken): Json {
  const { body, history, conversation } = held.get(asked) ?? { body: {}, history: [], conversation: null };
  const all = [...history, ...itemsOf(asked, spoken, body)];
  if (body.store !== false) keepAnswer(responseId(spoken), all);
  if (conversation !== null) keepConversation(conversation, all);
  return body;
}

export const openaiResponses: ModelWire = {
  id: 'openai-responses',
  matches: (path) => path.endsWith('/responses') || path.endsWith('/conversations'),
  check,
  beside(body, { url, headers }) {
    if (!url.pathname.endsWith('/conversations')) return null;
    const refused = checkKey(headers) ?? (isObject(body) ? null : missing('items'));
    if (refused !== null) return { status: refused.status, body: openaiResponses.refusalBody(refused) };
    const items = ownItems(isObject(body) ? (body.items ?? []) : []);
    if ('status' in items) return { status: items.status, body: openaiResponses.refusalBody(items) };
    const id = openConversation(items);
    return { status: 200, body: { id, object: 'conversation', created_at: 1_700_000_000, metadata: {} } };
  },
  refusalBody: ({ message, type, param = null, code = null }) => ({ error: { message, type, param, code } }),
  tooLong: () =>
    bad(
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
      'input',
      'context_length_exceeded',
    ),
  tooLarge: () => ({
    status: 413,
    message: 'The request body is too large.',
    type: 'invalid_request_error',
    param: null,
    code: 'request_too_large',
  }),
  whole: (asked, spoken) => responseOf(asked, spoken, keep(asked, spoken), true),
  events: (asked, spoken) => eventsOf(asked, spoken, keep(asked, spoken)),
  streamError(_asked, { message }, sent) {
    const data = { type: 'error', sequence_number: sent, code: 'server_error', message, param: null };
    return `event: error\ndata: ${JSON.stringify(data)}\n\n`;
  },
};
