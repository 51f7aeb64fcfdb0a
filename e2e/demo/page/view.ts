/** The demo chat's DOM: message text is only ever text. */
import { type Chat, type Message, sent, titleOf } from './store.ts';

export interface Actions {
  edit(index: number, text: string): void;
  regenerate(index: number): void;
  branch(index: number): void;
}

export function byId<T extends HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no #${id}.`);
  return found as T;
}

function element(tag: string, className = '', text = ''): HTMLElement {
  const made = document.createElement(tag);
  if (className !== '') made.className = className;
  made.textContent = text;
  return made;
}

function button(label: string, testid: string, press: () => void): HTMLButtonElement {
  const made = element('button', '', label) as HTMLButtonElement;
  made.type = 'button';
  made.dataset.testid = testid;
  made.addEventListener('click', press);
  return made;
}

function editor(row: HTMLElement, message: Message, index: number, actions: Actions, redraw: () => void): void {
  const box = element('div', 'editor');
  const text = element('textarea') as HTMLTextAreaElement;
  text.value = message.text;
  text.rows = Math.min(8, message.text.split('\n').length + 1);
  text.dataset.testid = 'editor';
  text.setAttribute('aria-label', 'Edit message');
  const buttons = element('div');
  const save = button('Send', 'save-edit', () => actions.edit(index, text.value));
  save.className = 'primary';
  buttons.append(button('Cancel', 'cancel-edit', redraw), save);
  box.append(text, buttons);
  row.replaceChildren(box);
  text.focus();
}

function row(message: Message, index: number, streaming: boolean, actions: Actions, redraw: () => void): HTMLElement {
  const made = element('article', `message ${message.role}`);
  made.classList.toggle('failed', message.failed === true);
  made.classList.toggle('streaming', streaming);
  made.dataset.testid = `message-${message.role}`;
  made.setAttribute('aria-label', message.role === 'user' ? 'You' : 'Demo model');
  made.append(element('div', 'body', message.text));
  if (streaming) return made;
  const bar = element('div', 'actions');
  if (message.role === 'user') bar.append(button('Edit', 'edit', () => editor(made, message, index, actions, redraw)));
  else bar.append(button('Regenerate', 'regenerate', () => actions.regenerate(index)));
  if (message.failed !== true) bar.append(button('Branch from here', 'branch', () => actions.branch(index)));
  made.append(bar);
  return made;
}

const EMPTY =
  'The demo model knows only what you tell it. Try “The meeting room is Blue Heron.”, talk about something else for a while, then ask “What is the meeting room?”';

/** Draws the whole chat. */
export function draw(chat: Chat, chats: readonly Chat[], streaming: boolean, actions: Actions): void {
  const redraw = (): void => draw(chat, chats, streaming, actions);
  const log = byId('log');
  const rows = chat.messages.map((message, index) =>
    row(message, index, streaming && index === chat.messages.length - 1, actions, redraw),
  );
  if (rows.length === 0) {
    const empty = element('div', 'empty');
    empty.append(element('h2', '', 'What is on your mind?'), element('p', '', EMPTY));
    rows.push(empty);
  }
  log.replaceChildren(...rows);
  log.scrollTop = log.scrollHeight;
  byId('title').textContent = titleOf(chat);
  byId('chats').replaceChildren(
    ...chats.map((other) => {
      const link = element('a', '', titleOf(other)) as HTMLAnchorElement;
      link.href = `#/chat/${other.id}`;
      if (other.id === chat.id) link.setAttribute('aria-current', 'page');
      return link;
    }),
  );
  byId<HTMLSelectElement>('model').value = chat.model;
  byId<HTMLSelectElement>('wire').value = chat.wire;
  byId<HTMLSelectElement>('window').value = String(chat.window);
  byId<HTMLInputElement>('long').checked = chat.long;
  byId('stop').hidden = !streaming;
  byId('send').hidden = streaming;
  drawSent(chat);
}

/** Shows the newest piece of the answer without drawing everything again. */
export function drawPiece(text: string): void {
  const log = byId('log');
  const follow = log.scrollHeight - log.scrollTop - log.clientHeight < 80;
  const body = log.lastElementChild?.querySelector('.body');
  if (body) body.textContent = text;
  if (follow) log.scrollTop = log.scrollHeight;
}

function drawSent(chat: Chat): void {
  const messages = sent(chat);
  const characters = messages.reduce((sum, { text }) => sum + text.length, 0);
  const label =
    messages.length === 0
      ? ''
      : `Every message sends the ${messages.length} before it: about ${Math.ceil(characters / 4).toLocaleString('en')} tokens.`;
  byId('sends').textContent = label;
}
