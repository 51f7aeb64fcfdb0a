/** How these tests speak to the demo model: over HTTP, as anybody would. */
export interface Answered {
  readonly status: number;
  readonly json: {
    error?: { message: string; type: string; code?: string | null; param?: string | null };
    usage?: Record<string, number> & { prompt_tokens_details?: { cached_tokens: number } };
    content?: { type: string; text?: string; thinking?: string; signature?: string; name?: string }[];
    choices?: { message: { content: string | null; tool_calls?: { id: string }[] }; finish_reason: string }[];
  };
}

export const OPENAI = '/v1/chat/completions';
export const ANTHROPIC = '/v1/messages';

const HEADERS: Record<string, Record<string, string>> = {
  [OPENAI]: { authorization: 'Bearer test-key' },
  [ANTHROPIC]: { 'x-api-key': 'test-key', 'anthropic-version': '2023-06-01' },
};

/** Posts a body (an object, or text as it is) and reads the JSON answer. */
export async function ask(origin: string, path: string, body: unknown, headers = HEADERS[path] ?? {}): Promise<Answered> {
  const response = await fetch(origin + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, json: (await response.json()) as Answered['json'] };
}

/** Text of a whole answer on either wire. */
export const textOf = ({ json }: Answered): string =>
  json.choices?.[0]?.message.content ?? json.content?.find(({ type }) => type === 'text')?.text ?? '';
