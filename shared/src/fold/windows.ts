/**
 * Context windows of well-known models, in tokens.
 *
 * Order of evidence: what the person configured, what the upstream told, this table. Unknown stays unknown: then nothing is folded by
 * itself and nothing is checked before sending (a guess that is too small folds for nothing, one too large too late). Where
 * variants of a name differ, the smaller figure stands. Names with a tag (`llama3.2:3b`) run locally with a window that only the
 * server knows, so they are not looked up.
 */

export interface KnownWindow {
  readonly tokens: number | null;
  readonly source: 'config' | 'table' | 'upstream' | 'unknown';
}

/** Prefix of the model name -> window. The longest prefix that fits wins. */
const TABLE: Readonly<Record<string, number>> = {
  'gpt-3.5-turbo': 16_385,
  'gpt-4': 8_192,
  'gpt-4-32k': 32_768,
  'gpt-4-turbo': 128_000,
  'gpt-4-1106': 128_000,
  'gpt-4-0125': 128_000,
  'gpt-4o': 128_000,
  'gpt-4.1': 1_047_576,
  'gpt-4.5': 128_000,
  'gpt-5': 272_000,
  'chatgpt-4o': 128_000,
  o1: 200_000,
  'o1-mini': 128_000,
  'o1-preview': 128_000,
  o3: 200_000,
  'o4-mini': 200_000,
  'claude-2.0': 100_000,
  'claude-2': 200_000,
  'claude-instant': 100_000,
  'claude-3': 200_000,
  'claude-sonnet-4': 200_000,
  'claude-opus-4': 200_000,
  'claude-haiku-4': 200_000,
  'gemini-1.5': 1_048_576,
  'gemini-2.0': 1_048_576,
  'gemini-2.5': 1_048_576,
  'gemini-3': 1_048_576,
  'deepseek-chat': 64_000,
  'deepseek-reasoner': 64_000,
  'mistral-large': 128_000,
  'mistral-medium': 128_000,
  'mistral-small': 32_000,
  'grok-3': 131_072,
  'grok-4': 256_000,
  'kimi-k2': 131_072,
  'moonshot-v1-8k': 8_192,
  'moonshot-v1-32k': 32_768,
  'moonshot-v1-128k': 131_072,
  'glm-4.5': 128_000,
  'glm-4.6': 200_000,
  'qwen-max': 32_768,
  'qwen-plus': 131_072,
  'command-r': 128_000,
};
const PREFIXES = Object.keys(TABLE).sort((a, b) => b.length - a.length);

function tableWindow(model: string): number | null {
  if (model.includes(':')) return null;
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  for (const prefix of PREFIXES) {
    if (!name.startsWith(prefix)) continue;
    const next = name.charAt(prefix.length);
    // `o3-mini` and `gpt-4-0613` are of the family, `o32` is somebody else.
    if (next === '' || /[^a-z0-9]/.test(next)) return TABLE[prefix] ?? null;
  }
  return null;
}

function positive(tokens: number | null | undefined): tokens is number {
  return typeof tokens === 'number' && Number.isFinite(tokens) && tokens > 0;
}

/** The window of this model. `told` is what its upstream said earlier, if it did. */
export function windowOf(model: string | null, configured: number | null, told: number | null = null): KnownWindow {
  if (positive(configured)) return { tokens: configured, source: 'config' };
  if (positive(told)) return { tokens: told, source: 'upstream' };
  const known = model === null ? null : tableWindow(model);
  return known === null ? { tokens: null, source: 'unknown' } : { tokens: known, source: 'table' };
}
