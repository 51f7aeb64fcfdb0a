/** One block over the whole popup, which grows so that summary and originals fit side by side. */
import { useEffect, useRef } from 'preact/hooks';
import type { SessionDetail } from '../../panel-messages.ts';
import { t } from '../../strings/strings.ts';
import { BlockView } from '../../ui/block-view.tsx';
import { blockVerb } from '../../ui/blocks.ts';
import { Icon } from '../../ui/icon.tsx';
import { changeBlock, opened, snapshot } from '../store.ts';

export function BlockOverlay({ session, block }: { session: SessionDetail; block: string }) {
  const line = session.blockList.find((one) => one.blockId === block);
  const verb = line === undefined ? null : blockVerb(line);
  const back = useRef<HTMLButtonElement>(null);
  useEffect(() => back.current?.focus(), []);
  return (
    <main class="popup overlay">
      <header class="head row">
        <button type="button" class="small plain" ref={back} onClick={() => (opened.value = null)}>
          <Icon name="back" size={14} /> {t('action.back')}
        </button>
        <h1 class="grow clip" title={line?.topic ?? block}>
          <span class="tag">{block}</span> {line?.topic}
        </h1>
        {verb === null ? null : (
          <button
            type="button"
            class="small"
            title={t(`block.${verb}.long`)}
            onClick={() => changeBlock(session.session, block, verb)}
          >
            {t(`block.${verb}`)}
          </button>
        )}
      </header>
      <div class="body">
        <BlockView session={session.session} block={block} messages={session.messageList} version={snapshot.value} />
      </div>
    </main>
  );
}
