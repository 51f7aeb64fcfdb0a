/** What was folded, where the originals are, and how to open them. */
import type { BlockLine, SessionDetail } from '../../panel-messages.ts';
import { t } from '../../strings/strings.ts';
import { pageUrl } from '../../ui/ask.ts';
import { BlockVerb } from '../../ui/block-verb.tsx';
import { rangeOf } from '../../ui/blocks.ts';
import { compact } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Waits } from '../../ui/waits.tsx';
import type { PopupView } from '../model.ts';
import { changeBlock, checked, checkKey, opened } from '../store.ts';

export function Blocks({ session, view }: { session: SessionDetail; view: PopupView }) {
  return (
    <section class="blocks" aria-label={t('block.title')}>
      <div class="row spread">
        <h2>{t('block.title')}</h2>
        {view.blocks.length > 0 ? <p class="small-text muted">{t('block.stay')}</p> : null}
      </div>
      {view.blocks.length === 0 ? <p class="muted">{t('block.none')}</p> : null}
      <ul>
        {view.blocks.map((block) => (
          <Block key={block.blockId} session={session} block={block} />
        ))}
      </ul>
      <Waits session={session} />
      {view.moreBlocks > 0 ? (
        <a
          href={pageUrl('dashboard', `session/${encodeURIComponent(session.session)}/blocks`)}
          target="_blank"
          rel="noreferrer"
        >
          {t('popup.blocks.more', { n: view.moreBlocks })}
        </a>
      ) : null}
    </section>
  );
}

function Block({ session, block }: { session: SessionDetail; block: BlockLine }) {
  return (
    <li class={`block ${block.state}`}>
      <div class="row">
        <span class="tag">{block.blockId}</span>
        <strong class="grow clip" title={block.topic}>
          {block.topic}
        </strong>
      </div>
      <p class="row spread">
        <span class="number">{t('block.range', { range: rangeOf(block, session.messageList) })}</span>
        <span class="number">
          {t('block.saves', { before: compact(block.tokensBefore), after: compact(block.tokensAfter) })}
        </span>
      </p>
      {block.state === 'folded' ? null : <p class="muted">{t(`blocks.state.${block.state}`)}</p>}
      <div class="row">
        <Kept session={session.session} block={block} />
        <BlockVerb block={block} onChange={(verb) => changeBlock(session.session, block.blockId, verb)} />
        <button
          type="button"
          class="small"
          title={t('block.open', { block: block.blockId })}
          onClick={() => (opened.value = block.blockId)}
        >
          {t('action.open')} <Icon name="open" size={12} />
        </button>
      </div>
    </li>
  );
}

function Kept({ session, block }: { session: string; block: BlockLine }) {
  const detail = checked.value.get(checkKey(session, block.blockId));
  if (detail === undefined) return <p class="kept grow muted">{t('block.kept', { n: block.messages })}</p>;
  if (detail.verified && detail.originals.length >= block.messages) {
    return (
      <p class="kept grow good" title={t('block.equal.long')}>
        {t('block.checked', { n: block.messages })} <Icon name="check" size={14} />
      </p>
    );
  }
  return (
    <p class="kept grow bad" title={t('block.unequal.long')}>
      {t('block.missing', { n: block.messages, found: detail.originals.length })} <Icon name="alert" size={14} />
    </p>
  );
}
