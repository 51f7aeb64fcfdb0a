/**
 * A prompt cache as providers run them: the longest run of leading messages seen recently is cheap, the rest is full price.
 *
 * Only whole messages from the start count, so one changed byte early in the history makes everything behind it fresh.
 */
import { countPrompt } from './tokens.ts';

const REMEMBERED = 256;

export interface PromptCache {
  /** Prices this prompt and remembers it. */
  price(model: string, prompt: readonly string[]): { cached: number; fresh: number };
  clear(): void;
}

/** `floor`: a shorter common prefix is not cached (real providers start at 1,024 tokens). */
export function createPromptCache(floor = 1024): PromptCache {
  let seen: { model: string; prompt: readonly string[] }[] = [];
  return {
    price(model, prompt) {
      let best = 0;
      for (const known of seen) {
        if (known.model !== model) continue;
        let same = 0;
        while (same < prompt.length && same < known.prompt.length && prompt[same] === known.prompt[same]) same += 1;
        best = Math.max(best, same);
      }
      seen = [...seen.slice(1 - REMEMBERED), { model, prompt: [...prompt] }];
      const total = countPrompt(prompt);
      const prefix = countPrompt(prompt.slice(0, best));
      const cached = prefix >= floor ? prefix : 0;
      return { cached, fresh: total - cached };
    },
    clear() {
      seen = [];
    },
  };
}
