import { describe, expect, it } from 'vitest';
import { overflowOf } from '#wire/overflow';

const chat = (message: string, extra: object = {}): string => JSON.stringify({ error: { message, ...extra } });

describe('a refusal for length is recognised, with the window it states', () => {
  it.each([
    [
      400,
      chat("This model's maximum context length is 128000 tokens. However, your messages resulted in 130012 tokens.", {
        code: 'context_length_exceeded',
      }),
      128000,
    ],
    [
      400,
      chat('Input tokens exceed the configured limit of 272,000 tokens. Your messages resulted in 300,112 tokens.'),
      272000,
    ],
    [
      400,
      JSON.stringify({
        type: 'error',
        error: { type: 'invalid_request_error', message: 'prompt is too long: 208310 tokens > 200000 maximum' },
      }),
      200000,
    ],
    [400, chat('input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length'), 200000],
    [400, chat('The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).'), 1048576],
    [400, chat('The input token count exceeds the maximum number of tokens allowed 30720.'), 30720],
    [
      400,
      chat('Unable to submit request because the input token count is 1115204 but model only supports up to 1048576.'),
      1048576,
    ],
    [500, chat('the request exceeds the available context size (4096 tokens), try increasing it'), 4096],
    [400, chat('request is larger', { type: 'exceed_context_size_error', n_prompt_tokens: 9000, n_ctx: 8192 }), 8192],
    [400, chat('Your input exceeds the context window of this model.'), null],
    [400, JSON.stringify({ error: 'the input length exceeds the context length' }), null],
    [413, chat('prompt is too long'), null],
  ])('%i %s', (status, body, window) => {
    expect(overflowOf(status, body)).toEqual({ window });
  });

  it.each([
    [200, chat("This model's maximum context length is 128000 tokens")],
    [400, chat('max_tokens: 9000 > 8192, which is the maximum allowed number of output tokens')],
    [429, chat('Rate limit reached for gpt-4o on tokens per min: Limit 30000')],
    [400, chat('Request payload size exceeds the limit: 20971520 bytes.')],
    [401, chat('no key')],
    [400, ''],
  ])('%i %s is none', (status, body) => {
    expect(overflowOf(status, body)).toBeNull();
  });
});
