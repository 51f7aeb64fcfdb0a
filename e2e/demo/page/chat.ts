/** The demo chat: what the buttons do. It knows nothing about extensions and never changes for one. */
import { ask } from './ask.ts';
import { type Chat, createChat, loadChats, saveChat, sent } from './store.ts';
import { byId, draw, drawPiece } from './view.ts';

let chat: Chat = createChat();
let running: AbortController | null = null;

function show(): void {
  document.body.dataset.turns = String(chat.messages.filter(({ role }) => role === 'assistant').length);
  draw(chat, loadChats(), running !== null, { edit, regenerate, branch });
}

function open(next: Chat): void {
  running?.abort();
  running = null;
  chat = next;
  document.body.dataset.state = 'idle';
  const hash = `#/chat/${chat.id}`;
  if (location.hash !== hash) history.pushState(null, '', hash);
  show();
}

/** Sends the history that ends with the newest user message and streams the answer below it. */
async function run(): Promise<void> {
  const mine = chat;
  const controller = new AbortController();
  const messages = sent(mine);
  running = controller;
  mine.messages.push({ role: 'assistant', text: '' });
  const reply = mine.messages.at(-1);
  if (reply === undefined) return;
  document.body.dataset.state = 'streaming';
  show();
  let state = 'idle';
  try {
    for await (const piece of ask(mine, messages, controller.signal)) {
      reply.text += piece;
      if (chat === mine) drawPiece(reply.text);
    }
    if (reply.text === '') throw new Error('The answer was empty.');
  } catch (error) {
    state = controller.signal.aborted ? 'idle' : 'error';
    // A stopped answer keeps what had arrived; a failed one says why in its place.
    if (state === 'error')
      Object.assign(reply, {
        text: `${reply.text === '' ? '' : `${reply.text}\n\n`}${(error as Error).message}`,
        failed: true,
      });
    else if (reply.text === '') mine.messages.pop();
  }
  saveChat(mine);
  if (chat !== mine) return;
  running = null;
  show();
  document.body.dataset.state = state;
}

function send(text: string): void {
  if (running !== null || text.trim() === '') return;
  chat.messages.push({ role: 'user', text: text.trim() });
  chat.at = Date.now();
  saveChat(chat);
  void run();
}

function edit(index: number, text: string): void {
  if (running !== null) return;
  chat.messages.length = index;
  send(text);
}

function regenerate(index: number): void {
  if (running !== null) return;
  chat.messages.length = index;
  void run();
}

function branch(index: number): void {
  const next = createChat(chat);
  next.messages = structuredClone(chat.messages.slice(0, index + 1));
  saveChat(next);
  open(next);
}

function fromHash(): void {
  const id = /^#\/chat\/([0-9a-f-]{36})$/.exec(location.hash)?.[1];
  if (id === chat.id) return;
  open(loadChats().find((known) => known.id === id) ?? createChat(loadChats()[0]));
}

const composer = byId<HTMLTextAreaElement>('text');
byId('composer').addEventListener('submit', (event) => {
  event.preventDefault();
  if (running !== null) return;
  const { value } = composer;
  composer.value = '';
  send(value);
});
composer.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  byId<HTMLFormElement>('composer').requestSubmit();
});
byId('new-chat').addEventListener('click', () => {
  open(createChat(chat));
  composer.focus();
});
byId('stop').addEventListener('click', () => running?.abort());
for (const key of ['model', 'wire'] as const) {
  const select = byId<HTMLSelectElement>(key);
  select.addEventListener('change', () => change({ [key]: select.value }));
}
const windowSelect = byId<HTMLSelectElement>('window');
windowSelect.addEventListener('change', () => change({ window: Number(windowSelect.value) }));
const long = byId<HTMLInputElement>('long');
long.addEventListener('change', () => change({ long: long.checked }));

function change(settings: Partial<Chat>): void {
  Object.assign(chat, settings);
  if (chat.messages.length > 0) saveChat(chat);
  show();
}

addEventListener('hashchange', fromHash);
addEventListener('popstate', fromHash);
fromHash();
composer.focus();
