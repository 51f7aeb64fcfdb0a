/** The lineage as a keyboard tree: icon, word and colour per kind. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { LineageNode } from '../panel-messages.ts';
import { sentence, t } from '../strings/strings.ts';
import { Icon } from './icon.tsx';
import { moveInTree, type TreeRow, visibleRows } from './tree-model.ts';

interface TreeProps {
  nodes: readonly LineageNode[];
  open: (session: string) => void;
  limit?: number;
}

export function LineageTree({ nodes, open, limit = Number.POSITIVE_INFINITY }: TreeProps) {
  const closed = useSignal<ReadonlySet<string>>(new Set());
  const rows = visibleRows(nodes, closed.value).slice(0, limit);
  const current = rows.findIndex((row) => row.node.current);
  const focus = useSignal(Math.max(0, current));
  const list = useRef<HTMLDivElement>(null);
  const toggle = (session: string, shut: boolean) => {
    const next = new Set(closed.value);
    if (shut) next.add(session);
    else next.delete(session);
    closed.value = next;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[focus.value];
    if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter' || event.key === ' ') open(row.node.session);
    else {
      const move = moveInTree(rows, focus.value, event.key, closed.value);
      if (move === null) return;
      if (move.toggle !== null) toggle(row.node.session, move.toggle === 'close');
      focus.value = move.focus;
      list.current?.querySelectorAll<HTMLElement>('[role=treeitem]')[move.focus]?.focus();
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="tree" role="tree" aria-label={t('tree.title')} ref={list} onKeyDown={onKeyDown}>
      {rows.map((row, index) => (
        <Row
          key={row.node.session}
          row={row}
          tab={index === Math.min(focus.value, rows.length - 1) ? 0 : -1}
          closed={closed.value.has(row.node.session)}
          pick={() => {
            focus.value = index;
            open(row.node.session);
          }}
        />
      ))}
    </div>
  );
}

function Row({ row, tab, closed, pick }: { row: TreeRow; tab: number; closed: boolean; pick: () => void }) {
  const { node } = row;
  const kind = node.kind ?? 'root';
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys of all its items.
    <div
      role="treeitem"
      class={`tree-row kind-${kind}`}
      style={{ '--level': row.level - 1 }}
      tabIndex={tab}
      aria-level={row.level}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-selected={node.current}
      {...(row.children > 0 ? { 'aria-expanded': !closed } : {})}
      onClick={pick}
    >
      <span class="kind">
        <Icon name={kind} size={14} /> {sentence('lineage', kind)}
      </span>
      <span class="tree-title" title={node.title}>
        {node.current ? <strong>{t('tree.this')}</strong> : node.title}
      </span>
      <span class="muted number">
        {node.shared > 0 ? `${t('tree.shared', { n: node.shared })} · ` : ''}
        {t('count.messages', { n: node.messages })}
      </span>
    </div>
  );
}
