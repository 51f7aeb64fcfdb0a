/** gemini: `POST /v1beta/models/<model>:generateContent` and `:streamGenerateContent`, as events with `alt=sse`, else as one JSON array. */
import { isObject, type Json, words } from '../shape.ts';
import { countTokens, pieces } from '../tokens.ts';
import { type Asked, type CheckContext, type Checked, type ModelWire, type Refusal, refuse, type Spoken } from '../wire.ts';
import { checkContents } from './gemini-contents.ts';
import { bad, fields, isRefusal, signature } from './gemini-parts.ts';

const PATH = /\/v1(?:beta|alpha)?\/models\/([^/:]+):(generateContent|streamGenerateContent)$/;
const REQUEST = words('model contents systemInstruction tools toolConfig safetySettings generationConfig cachedContent');
const CONFIG = words(
  'candidateCount stopSequences maxOutputTokens temperature topP topK seed presencePenalty frequencyPenalty responseMimeType responseSchema ' +
    'responseJsonSchema responseLogprobs logprobs enableEnhancedCivicAnswers responseModalities speechConfig imageConfig mediaResolution thinkingConfig',
);
const TOOL = words(
  'functionDeclarations googleSearch googleSearchRetrieval codeExecution urlContext googleMaps fileSearch computerUse',
);
const NOT_JSON = 'Invalid JSON payload received. Unexpected end of string. Expected an object key or }.';

/** Google's word for a status, for refusals that a test asked for. */
const STATUS: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

function checkKey({ url, headers }: CheckContext): Refusal | null {
  const bearer = /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  const key = headers['x-goog-api-key'] ?? url.searchParams.get('key') ?? bearer;
  if (key === undefined || key === null || key === '') {
    const message =
      "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.";
    return { status: 403, message, type: 'PERMISSION_DENIED' };
  }
  return key === 'invalid' ? bad('API key not valid. Please pass a valid API key.') : null;
}

function systemOf(value: unknown): string | Refusal {
  if (value === undefined) return '';
  const content = fields(
    value,
    words('role parts'),
    'system_instruction',
    'type.googleapis.com/google.ai.generativelanguage.v1beta.Content',
  );
  if (isRefusal(content)) return content;
  const parts = Array.isArray(content.parts) ? content.parts : content.parts === undefined ? [] : [content.parts];
  if (parts.length === 0) return bad('* GenerateContentRequest.system_instruction.parts: contents.parts must not be empty.\n');
  const texts = parts.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : null));
  return texts.includes(null) ? bad('Developer instruction is not enabled for this kind of part.') : texts.join('\n');
}

/** The names of the declared functions. */
function toolNames(tools: unknown): string[] | Refusal {
  if (tools === undefined) return [];
  if (!Array.isArray(tools)) return bad("Invalid value at 'tools'");
  const names: string[] = [];
  for (const [index, value] of tools.entries()) {
    const tool = fields(value, TOOL, `tools[${index}]`, 'type.googleapis.com/google.ai.generativelanguage.v1beta.Tool');
    if (isRefusal(tool)) return tool;
    const declared = Array.isArray(tool.functionDeclarations) ? tool.functionDeclarations : [];
    names.push(...declared.map((one) => (isObject(one) ? String(one.name) : '')));
  }
  const wrong = names.findIndex((name) => !/^[A-Za-z_][\w.:-]{0,63}$/.test(name));
  return wrong < 0
    ? names
    : bad(`* GenerateContentRequest.tools[0].function_declarations[${wrong}].name: Invalid function name.\n`);
}

function configOf(value: unknown): Json | Refusal {
  const config = fields(value ?? {}, CONFIG, 'generation_config', 'GenerationConfig');
  if (isRefusal(config)) return config;
  const { maxOutputTokens: most, thinkingConfig: thinking } = config;
  if (most !== undefined && !Number.isInteger(most))
    return bad(`Invalid value at 'generation_config.max_output_tokens' (TYPE_INT32), ${JSON.stringify(most)}`);
  if (Number(most ?? 1) < 1)
    return bad('* GenerateContentRequest.generation_config.max_output_tokens: max_output_tokens must be positive.\n');
  const known = words('includeThoughts thinkingBudget thinkingLevel');
  const thought = fields(thinking ?? {}, known, 'generation_config.thinking_config', 'ThinkingConfig');
  return isRefusal(thought) ? thought : { ...config, thinkingConfig: thought };
}

function check(body: unknown, context: CheckContext): Checked {
  const { url, windows } = context;
  const refused = checkKey(context);
  if (refused !== null) return refuse(refused);
  const [, model = '', method] = PATH.exec(url.pathname) ?? [];
  if (!isObject(body)) return refuse(bad(NOT_JSON));
  const request = fields(body, REQUEST, '', 'GenerateContentRequest');
  if (isRefusal(request)) return refuse(request);
  if (!windows.has(model)) {
    const message = `models/${model} is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`;
    return refuse({ status: 404, message, type: 'NOT_FOUND' });
  }
  if (request.cachedContent !== undefined)
    return refuse({ status: 403, message: 'CachedContent not found (or permission denied)', type: 'PERMISSION_DENIED' });
  const said = checkContents(request.contents);
  if (!Array.isArray(said)) return refuse(said);
  const system = systemOf(request.systemInstruction);
  if (typeof system !== 'string') return refuse(system);
  const tools = toolNames(request.tools);
  if (!Array.isArray(tools)) return refuse(tools);
  const config = configOf(request.generationConfig);
  if (isRefusal(config)) return refuse(config);
  const environment = [tools.length > 0 ? JSON.stringify(request.tools) : '', system].filter((text) => text !== '');
  return {
    ok: true,
    asked: {
      model,
      stream: method === 'streamGenerateContent',
      framing: url.searchParams.get('alt') === 'sse' ? 'events' : 'array',
      system,
      said,
      prompt: [...environment, ...(request.contents as unknown[]).map((content) => JSON.stringify(content))],
      maxOutput: Number(config.maxOutputTokens ?? 0) || null,
      tools,
      thinking: (config.thinkingConfig as Json).includeThoughts === true,
      usageInStream: true,
      marksCache: false,
    },
  };
}

const FINISH = { end: 'STOP', length: 'MAX_TOKENS', calls: 'STOP' } as const;

/** Google counts cached tokens inside the prompt, and thoughts beside the answer. */
function usageOf({ priced, thinking }: Spoken): object {
  const thoughts = countTokens(thinking);
  const prompt = priced.cached + priced.fresh;
  return {
    promptTokenCount: prompt,
    ...(priced.cached > 0 ? { cachedContentTokenCount: priced.cached } : {}),
    candidatesTokenCount: priced.output - thoughts,
    ...(thoughts > 0 ? { thoughtsTokenCount: thoughts } : {}),
    totalTokenCount: prompt + priced.output,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: prompt }],
  };
}

const response = (asked: Asked, spoken: Spoken, parts: object[], ends: boolean, usage: object): object => ({
  candidates: [{ content: { parts, role: 'model' }, ...(ends ? { finishReason: FINISH[spoken.stop] } : {}), index: 0 }],
  usageMetadata: usage,
  modelVersion: asked.model,
  responseId: spoken.id,
});

/** Calls come whole, the first of a batch with the signature. */
const callParts = (spoken: Spoken): object[] =>
  spoken.calls.map((call, index) => {
    const made = { name: call.name, args: JSON.parse(call.arguments) as unknown };
    return { functionCall: made, ...(index === 0 ? { thoughtSignature: signature(made) } : {}) };
  });

const thoughtParts = (spoken: Spoken, size: number): object[] =>
  pieces(spoken.thinking, size).map((text) => ({ text, thought: true }));

/** Every piece is a whole response; a thinking model signs an empty text at the end. */
function events(asked: Asked, spoken: Spoken): readonly string[] {
  const signed = spoken.thinking === '' || spoken.calls.length > 0 ? [] : [{ text: '', thoughtSignature: signature(null) }];
  const texts = pieces(spoken.text, 24).map((text) => ({ text }));
  const parts = [...thoughtParts(spoken, 24), ...texts, ...callParts(spoken), ...signed];
  const usage = usageOf(spoken);
  const chunks = (parts.length === 0 ? [{ text: '' }] : parts).map((part, index, all) =>
    JSON.stringify(response(asked, spoken, [part], index === all.length - 1, usage)),
  );
  if (asked.framing === 'events') return chunks.map((chunk) => `data: ${chunk}\r\n\r\n`);
  return [...chunks.map((chunk, index) => (index === 0 ? '[' : ',\r\n') + chunk), '\r\n]'];
}

export const gemini: ModelWire = {
  id: 'gemini',
  matches: (path) => PATH.test(path),
  check,
  refusalBody: ({ status, message, type }) => ({
    error: {
      code: status,
      message,
      status: /^[A-Z_]+$/.test(type) ? type : (STATUS[status] ?? 'UNKNOWN'),
      ...(message.startsWith('Invalid')
        ? { details: [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ description: message }] }] }
        : {}),
    },
  }),
  tooLong: (tokens, window) =>
    bad(`The input token count (${tokens}) exceeds the maximum number of tokens allowed (${window}).`),
  tooLarge: () => bad('Request payload size exceeds the limit: 20971520 bytes.'),
  whole: (asked, spoken) => {
    const last = spoken.thinking === '' ? {} : { thoughtSignature: signature(null) };
    const texts = spoken.text === '' ? [] : [{ text: spoken.text, ...last }];
    const parts = [...thoughtParts(spoken, Number.POSITIVE_INFINITY), ...texts, ...callParts(spoken)];
    return response(asked, spoken, parts, true, usageOf(spoken));
  },
  events,
  streamError({ framing }, refusal, sent) {
    const failed = JSON.stringify(gemini.refusalBody(refusal));
    return framing === 'array' ? `${sent === 0 ? '[' : ',\r\n'}${failed}\r\n]` : `data: ${failed}\r\n\r\n`;
  },
  streamType: ({ framing }) => (framing === 'array' ? 'application/json; charset=UTF-8' : 'text/event-stream'),
};
