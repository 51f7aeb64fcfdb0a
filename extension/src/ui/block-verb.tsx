/** The one thing a person can do with a block in its present state (unfold, fold again …), as a button; nothing where there is none. */
import type { BlockLine } from '../panel-messages.ts';
import { t } from '../strings/strings.ts';
import { blockVerb } from './blocks.ts';

type Verb = NonNullable<ReturnType<typeof blockVerb>>;

export function BlockVerb({ block, onChange }: { block: BlockLine; onChange: (verb: Verb) => void }) {
  const verb = blockVerb(block);
  if (verb === null) return null;
  return (
    <button type="button" class="small" title={t(`block.${verb}.long`)} onClick={() => onChange(verb)}>
      {t(`block.${verb}`)}
    </button>
  );
}
