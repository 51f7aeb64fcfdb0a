/** Every stored message, with the fold boundaries, and one message in full. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { MessageLine, SessionDetail } from '../../panel-messages.ts';
import { sentence, t } from '../../strings/strings.ts';
import { ask } from '../../ui/ask.ts';
import { rangeOf, shown } from '../../ui/blocks.ts';
import { compact } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Scroll } from '../../ui/scroll.tsx';
import { VirtualList } from '../../ui/virtual.tsx';
import { type Row, rowKey, rowsOf } from '../rows.ts';
import { message, openSession, pin, told } from '../store.ts';

export function Messages({ session }: { session: SessionDetail }) {
  const rows = rowsOf(session.messageList, session.blockList);
  const at = useSignal(-1);
  if (rows.length === 0) return <p class="muted">{t('messages.none')}</p>;
  const select = (index: number) => {
    const row = rows[index];
    at.value = index;
    message.value = row?.kind === 'message' ? row.message.seq : null;
  };
  const choose = (index: number) => {
    const row = rows[index];
    if (row?.kind === 'boundary') openSession(session.session, 'blocks', row.block.blockId);
  };
  const line = session.messageList.find((one) => one.seq === message.value);
  return (
    <div class={line === undefined ? 'two single' : 'two'}>
      <VirtualList
        id="messages"
        label={t('messages.list')}
        items={rows}
        rowHeight={34}
        selected={at.value}
        keyOf={rowKey}
        select={select}
        choose={choose}
      >
        {(row) => <Line row={row} session={session} />}
      </VirtualList>
      <section class="reader">
        {line === undefined ? <p class="muted">{t('messages.pick')}</p> : <Reader session={session.session} line={line} />}
      </section>
    </div>
  );
}

function Line({ row, session }: { row: Row; session: SessionDetail }) {
  if (row.kind === 'boundary') {
    const { block } = row;
    const words = {
      block: block.blockId,
      range: t('block.range', { range: rangeOf(block, session.messageList) }),
      before: compact(block.tokensBefore),
      after: compact(block.tokensAfter),
    };
    return (
      <p class="boundary row">
        <Icon name="fold" size={14} />
        <span class="clip grow">{t(block.state === 'folded' ? 'messages.boundary' : 'messages.boundary.open', words)}</span>
        <Icon name="open" size={12} />
      </p>
    );
  }
  const line = row.message;
  return (
    <p class={`message row ${line.block === null ? '' : 'folded'}`}>
      <span class="number muted seq">#{shown(line.seq)}</span>
      <span class="role">{sentence('role', line.role)}</span>
      <span class="clip grow">{line.preview}</span>
      {line.pinned ? (
        <span class="pinned-mark">
          <Icon name="pin" size={14} /> {t('messages.pinned')}
        </span>
      ) : null}
      {line.block === null ? null : <span class="tag">{line.block}</span>}
      <span class="number muted">{compact(line.tokens)}</span>
    </p>
  );
}

function Reader({ session, line }: { session: string; line: MessageLine }) {
  const raw = useSignal<string | null>(null);
  useEffect(() => {
    raw.value = null;
    void ask({ verb: 'message', session, seq: line.seq }).then((reply) => {
      if (told(reply) && reply.ok) raw.value = reply.data.raw;
    });
  }, [session, line.seq]);
  return (
    <>
      <div class="row spread wrap">
        <h2>
          #{shown(line.seq)} {sentence('role', line.role)}
        </h2>
        <button type="button" class="small" aria-pressed={line.pinned} onClick={() => pin(session, line.seq, !line.pinned)}>
          <Icon name="pin" size={14} /> {t(line.pinned ? 'messages.unpin' : 'messages.pin')}
        </button>
      </div>
      <p class="small-text muted">
        {t('messages.raw')}
        {line.block === null ? '' : ` · ${t('messages.hidden', { block: line.block })}`}
      </p>
      <Scroll label={t('messages.raw')} paper>
        <pre class="raw">{raw.value ?? t('app.loading')}</pre>
      </Scroll>
    </>
  );
}
