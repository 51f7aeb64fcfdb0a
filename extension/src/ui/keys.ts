/**
 * Keys, as data: the pages act on the names, the help page lists the same table. Pure.
 *
 * A key never acts while the person types in a field or holds a modifier.
 */
export type KeyAction =
  | 'search'
  | 'next'
  | 'previous'
  | 'open'
  | 'tab1'
  | 'tab2'
  | 'tab3'
  | 'tab4'
  | 'originals'
  | 'pin'
  | 'fold'
  | 'unfold'
  | 'undo'
  | 'why'
  | 'go.sessions'
  | 'go.flow'
  | 'go.health'
  | 'help'
  | 'back';

const SINGLE: Readonly<Record<string, KeyAction>> = {
  '/': 'search',
  j: 'next',
  k: 'previous',
  Enter: 'open',
  1: 'tab1',
  2: 'tab2',
  3: 'tab3',
  4: 'tab4',
  o: 'originals',
  p: 'pin',
  f: 'fold',
  u: 'unfold',
  z: 'undo',
  w: 'why',
  '?': 'help',
  Escape: 'back',
};

const AFTER_G: Readonly<Record<string, KeyAction>> = { s: 'go.sessions', l: 'tab3', d: 'go.flow', h: 'go.health' };

export interface KeyPress {
  readonly key: string;
  /** Ctrl, Alt or Meta is held. */
  readonly modified: boolean;
  /** The focus is in something that takes text. */
  readonly typing: boolean;
}

/** What a key means after the previous one; `pending` is what to pass next time. */
export function keyAction(press: KeyPress, pending: string | null): { action: KeyAction | null; pending: string | null } {
  if (press.modified) return { action: null, pending: null };
  if (press.typing) return { action: press.key === 'Escape' ? 'back' : null, pending: null };
  if (pending === 'g') return { action: AFTER_G[press.key] ?? null, pending: null };
  if (press.key === 'g') return { action: null, pending: 'g' };
  return { action: SINGLE[press.key] ?? null, pending: null };
}

/** Listens on the page; `act` returns true when it did something. Returns how to stop. */
export function listenKeys(act: (action: KeyAction) => boolean): () => void {
  let pending: string | null = null;
  const heard = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement | null;
    const typing = target?.matches('input, textarea, select') ?? false;
    const modified = event.ctrlKey || event.altKey || event.metaKey;
    const result = keyAction({ key: event.key, modified, typing }, pending);
    pending = result.pending;
    if (result.action === null) return;
    // Enter and Space belong to the focused control.
    if (result.action === 'open' && (target?.matches('button, a, [role]') ?? false)) return;
    if (act(result.action)) event.preventDefault();
  };
  addEventListener('keydown', heard);
  return () => removeEventListener('keydown', heard);
}
