/**
 * Recognising a provider's "the request is longer than the window" and the window it states.
 *
 * Only refusals count, and only unmistakable words. Not recognising one costs a learned window, nothing else.
 */
const MAX_READ = 64 * 1024;

export interface Overflow {
  /** The window in tokens, when the refusal states it. */
  readonly window: number | null;
}

/** A figure as providers write it: plain, or with grouping commas. */
const NUMBER = '(\\d[\\d,]*)';

/** Each says overflow; the group, when it matches, is the window. */
const SAYINGS: readonly RegExp[] = [
  // OpenAI and most servers that speak its wire.
  new RegExp(`maximum context length is ${NUMBER} tokens`, 'i'),
  new RegExp(`exceed(?:s|ed)? the (?:configured )?limit of ${NUMBER} tokens`, 'i'),
  new RegExp(`maximum prompt length is ${NUMBER}`, 'i'),
  // Anthropic.
  new RegExp(`prompt is too long: [\\d,]+ tokens > ${NUMBER} maximum`, 'i'),
  new RegExp(`exceed context limit: [\\d,]+ \\+ [\\d,]+ > ${NUMBER}`, 'i'),
  // Google, and Google's cloud.
  new RegExp(`exceeds the maximum number of tokens allowed \\(?${NUMBER}`, 'i'),
  new RegExp(`input token count is [\\d,]+ but model only supports up to ${NUMBER}`, 'i'),
  // llama.cpp.
  new RegExp(`exceeds? the available context size(?: \\(${NUMBER} tokens\\))?`, 'i'),
  // Ollama, told not to leave anything out.
  /input length exceeds the context length/i,
  /exceeds? the context window/i,
  /prompt is too long/i,
  /context_length_exceeded/,
  /exceed_context_size_error/,
];

/** What a refusal says about the window, or null when it is not about length. */
export function overflowOf(status: number, body: string): Overflow | null {
  if (status < 400) return null;
  const text = body.slice(0, MAX_READ);
  const said = SAYINGS.map((saying) => saying.exec(text)).filter((match) => match !== null);
  if (said.length === 0) return null;
  const stated = said.find((match) => match[1] !== undefined)?.[1] ?? /"n_ctx"\s*:\s*(\d+)/.exec(text)?.[1];
  const window = stated === undefined ? Number.NaN : Number(stated.replaceAll(',', ''));
  return { window: Number.isSafeInteger(window) && window > 0 ? window : null };
}
