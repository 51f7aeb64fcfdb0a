/**
 * A summary request on the OpenAI chat wire.
 */
import { parseJson } from '#base/json';
import type { Exchange } from '#neutral/message';
import { isAbsent } from '../body.ts';
import type { SummaryPrompt } from '../wire.ts';

/** Models that refuse the older name of the output budget. */
const NEWER_MODEL = /^(?:.*\/)?(?:o[1-9]|gpt-(?:[5-9]|\d\d))/;

/** The body; the output budget has the name that the conversation's own request uses, else the one its model wants. */
export function summaryBody(prompt: SummaryPrompt, like?: Exchange): string {
  return JSON.stringify({
    model: prompt.model,
    messages: [
      { role: 'system', content: prompt.system },
      { role: 'user', content: prompt.user },
    ],
    [budgetName(prompt.model, like)]: prompt.maxOutput,
    stream: false,
  });
}

function budgetName(model: string, like: Exchange | undefined): 'max_tokens' | 'max_completion_tokens' {
  const doc = like === undefined ? null : parseJson(like.source);
  if (doc !== null && !isAbsent(doc.root, 'max_completion_tokens')) return 'max_completion_tokens';
  if (doc !== null && !isAbsent(doc.root, 'max_tokens')) return 'max_tokens';
  return NEWER_MODEL.test(model) ? 'max_completion_tokens' : 'max_tokens';
}
