/** Every block of a conversation, and one of them opened. */
import type { BlockLine, SessionDetail } from '../../panel-messages.ts';
import { t } from '../../strings/strings.ts';
import { BlockVerb } from '../../ui/block-verb.tsx';
import { BlockView } from '../../ui/block-view.tsx';
import { inOrder, rangeOf } from '../../ui/blocks.ts';
import { compact } from '../../ui/format.ts';
import { changeBlock, openSession } from '../store.ts';

export function Blocks({ session, chosen }: { session: SessionDetail; chosen: string | null }) {
  const blocks = inOrder(session.blockList);
  if (blocks.length === 0) return <p class="muted">{t('block.none')}</p>;
  return (
    <div class="stack">
      <ul class="block-list">
        {blocks.map((block) => (
          <Line key={block.blockId} session={session} block={block} open={block.blockId === chosen} />
        ))}
      </ul>
      {chosen === null ? (
        <p class="muted">{t('blocks.pick')}</p>
      ) : (
        <BlockView session={session.session} block={chosen} messages={session.messageList} version={session} />
      )}
    </div>
  );
}

function Line({ session, block, open }: { session: SessionDetail; block: BlockLine; open: boolean }) {
  return (
    <li class={`row wrap block-line ${block.state}`}>
      <button
        type="button"
        class="plain block-open grow"
        aria-expanded={open}
        onClick={() => openSession(session.session, 'blocks', open ? null : block.blockId)}
      >
        <span class="tag">{block.blockId}</span>
        <strong class="clip">{block.topic}</strong>
        <span class="number muted">{t('block.range', { range: rangeOf(block, session.messageList) })}</span>
        <span class="number">
          {t('block.saves', { before: compact(block.tokensBefore), after: compact(block.tokensAfter) })}
        </span>
      </button>
      <span class="small-text muted">{t(`blocks.state.${block.state}`)}</span>
      <BlockVerb block={block} onChange={(verb) => changeBlock(session.session, block.blockId, verb)} />
    </li>
  );
}
