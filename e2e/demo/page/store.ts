/** The demo chat's conversations, kept in this browser like ordinary chat pages keep theirs. */

export interface Message {
  readonly role: 'user' | 'assistant';
  text: string;
  /** The request failed; never sent upstream. */
  failed?: boolean;
}

export interface Chat {
  /** Random and stable: also after edits and regenerated answers. */
  readonly id: string;
  at: number;
  messages: Message[];
  model: string;
  wire: string;
  /** Last turns sent, 0 for all. */
  window: number;
  long: boolean;
}

const KEY = 'demo-chats';
const EMPTY = { model: 'demo-small', wire: 'openai-chat', window: 0, long: false };

export function loadChats(): Chat[] {
  return JSON.parse(localStorage.getItem(KEY) ?? '[]') as Chat[];
}

/** Saves this chat and keeps the newest 50. */
export function saveChat(chat: Chat): void {
  const others = loadChats().filter(({ id }) => id !== chat.id);
  localStorage.setItem(KEY, JSON.stringify([chat, ...others].slice(0, 50)));
}

/** A new chat with the settings of another. */
export function createChat(like: Partial<Chat> = {}): Chat {
  const { model, wire, window, long } = { ...EMPTY, ...like };
  return { id: crypto.randomUUID(), at: Date.now(), messages: [], model, wire, window, long };
}

export function titleOf(chat: Chat): string {
  const first = chat.messages[0]?.text ?? '';
  return first === '' ? 'New chat' : first.length > 60 ? `${first.slice(0, 58)}…` : first;
}

/** What leaves with the next request: the whole history, or a window of it. */
export function sent(chat: Chat): Message[] {
  const usable = chat.messages.filter(({ failed, text }) => failed !== true && text !== '');
  if (chat.window === 0) return usable;
  const users = usable.flatMap(({ role }, index) => (role === 'user' ? [index] : []));
  return usable.slice(users.at(-chat.window) ?? 0);
}
