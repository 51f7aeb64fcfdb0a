/**
 * The pairing page (`http://127.0.0.1:<port>/pair#k=…`): takes the one-time secret out of the address bar, hands the link to the
 * background and says in the page what came of it.
 *
 * Invariant: the secret is read once, removed from the address and the history before the page is shown, and given to the
 * extension only. Failure direction: nothing is paired; the page says why and what to do.
 */
import type { Reply } from '../panel-messages.ts';
import { api } from '../platform.ts';

const link = location.href;
let said = { state: 'working', text: '' };
/** A refusal that has its own remedy, in Chinese; the background's sentence is the English one. */
const ALREADY_PAIRED = '此浏览器已经配对。要与另一个伴随程序配对，请先在 Throughline 面板的“健康状况”中点击“取消配对”。';
const chinese = navigator.language.toLowerCase().startsWith('zh');

document.addEventListener('DOMContentLoaded', write, { once: true });
if (location.hash.includes('k=')) {
  history.replaceState(null, '', location.pathname + location.search);
  void pair();
}

async function pair(): Promise<void> {
  show('working', chinese ? '正在配对……' : 'Pairing…');
  let reply: Reply<null> | undefined;
  try {
    reply = await api.runtime.sendMessage({ verb: 'pair', link });
  } catch {
    // The background could not be reached: the same answer as none.
    reply = undefined;
  }
  if (reply?.ok) return show('paired', chinese ? '已配对。可以关闭此页面。' : 'Paired. You can close this page.');
  if (reply?.code === 'already-paired') return show('failed', chinese ? ALREADY_PAIRED : reply.message);
  const again = chinese ? '请运行 throughline pair 获取新的链接再试。' : 'Run throughline pair for a new link and try again.';
  show('failed', reply ? reply.message : `${chinese ? '扩展没有回应。' : 'The extension did not answer.'} ${again}`);
}

/** Writes the outcome as text into the page's own status line, or into one made for it, as soon as the page has a body. */
function show(state: 'working' | 'paired' | 'failed', text: string): void {
  said = { state, text };
  if (document.readyState !== 'loading') write();
}

function write(): void {
  const { state, text } = said;
  if (text === '') return;
  let line = document.querySelector<HTMLElement>('#throughline-outcome');
  if (line === null) {
    line = document.createElement('p');
    line.id = 'throughline-outcome';
    line.setAttribute('role', 'status');
    document.body.prepend(line);
  }
  line.dataset.state = state;
  line.textContent = text;
}
