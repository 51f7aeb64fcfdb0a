/**
 * A summary without a model: the person's own words, verbatim, labelled as an extract.
 *
 * Stands in when a request would not fit its window and no model may be asked. Deterministic. What does not fit is cut from the
 * longest texts, with the cut named, never inside a surrogate pair; nothing is reworded.
 */
import { messageTokens, SUMMARY_CHARS } from './budget.ts';
import { blockMessage } from './label.ts';
import type { FoldPlan } from './plan.ts';
import { cutText } from './text.ts';

const HEADER = "Extract, not a summary: the user's own words from this part, verbatim. The other messages are left out.";

function render(
  texts: readonly { readonly ref: string; readonly role: string; readonly keep: string }[],
  most: number,
): string {
  const lines = texts.map(({ ref, role, keep }) => {
    const cut = cutText(keep, most);
    const rest = keep.length - cut.length;
    return `${ref} ${role}: ${cut}${rest === 0 ? '' : ` [… ${rest} more characters]`}`;
  });
  return [HEADER, ...lines].join('\n');
}

/** The extract of the plan, or null when even the shortest one would not be smaller than its source by half. */
export function extractOf(
  plan: FoldPlan,
): { readonly summary: string; readonly topic: string; readonly tokens: number } | null {
  // Ill-formed text of a client must not become text of ours.
  const texts = plan.source.filter((item) => item.keep !== '').map((item) => ({ ...item, keep: wellFormed(item.keep) }));
  const longest = texts.reduce((most, item) => Math.max(most, item.keep.length), 0);
  for (let most = longest; ; most = Math.floor(most / 2)) {
    const summary = render(texts, most);
    const tokens = messageTokens(blockMessage({ ...plan, summary }));
    if (summary.length <= SUMMARY_CHARS[1] && tokens * 2 <= plan.replaces) {
      const first = texts[0]?.keep.split('\n', 1)[0] ?? '';
      return { summary, topic: cutText(first, 80).trim() || plan.blockId, tokens };
    }
    if (most < 40) return null;
  }
}

/** The text with every lone surrogate replaced. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}
