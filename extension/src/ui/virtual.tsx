/**
 * A list that draws only what is in sight: ten thousand rows cost as much as thirty. A listbox, so every key works.
 */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { rowAfter, sliceInSight } from './virtual-model.ts';

interface VirtualListProps<T> {
  id: string;
  label: string;
  items: readonly T[];
  rowHeight: number;
  selected: number;
  keyOf: (item: T) => string;
  select: (index: number) => void;
  /** Enter on the selected row. */
  choose?: (index: number) => void;
  children: (item: T, selected: boolean) => ComponentChildren;
}

export function VirtualList<T>(props: VirtualListProps<T>) {
  const { id, items, rowHeight, selected, select } = props;
  const box = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useSignal(600);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const watch = new ResizeObserver(() => {
      height.value = element.clientHeight;
    });
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    const element = box.current;
    if (element === null || selected < 0) return;
    const from = selected * rowHeight;
    if (from < element.scrollTop) element.scrollTop = from;
    else if (from + rowHeight > element.scrollTop + element.clientHeight) {
      element.scrollTop = from + rowHeight - element.clientHeight;
    }
  }, [selected, rowHeight]);
  const { first, last } = sliceInSight(items.length, rowHeight, top.value, height.value);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter' || event.key === ' ') (props.choose ?? select)(selected);
    else {
      const next = rowAfter(event.key, selected, items.length, Math.max(1, Math.floor(height.value / rowHeight) - 1));
      if (next === null) return;
      select(next);
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      id={id}
      class="virtual"
      role="listbox"
      aria-label={props.label}
      tabIndex={0}
      ref={box}
      aria-activedescendant={selected >= first && selected < last ? `${id}-${selected}` : undefined}
      onScroll={() => {
        top.value = box.current?.scrollTop ?? 0;
      }}
      onKeyDown={onKeyDown}
    >
      <div class="virtual-all" role="presentation" style={{ height: `${items.length * rowHeight}px` }}>
        {items.slice(first, last).map((item, offset) => {
          const index = first + offset;
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the listbox handles the keys of all its options.
            // biome-ignore lint/a11y/useFocusableInteractive: the listbox holds the focus.
            <div
              key={props.keyOf(item)}
              id={`${id}-${index}`}
              class="virtual-row"
              role="option"
              aria-selected={index === selected}
              aria-setsize={items.length}
              aria-posinset={index + 1}
              style={{ top: `${index * rowHeight}px`, height: `${rowHeight}px` }}
              onClick={() => {
                select(index);
                props.choose?.(index);
              }}
            >
              {props.children(item, index === selected)}
            </div>
          );
        })}
      </div>
    </div>
  );
}
