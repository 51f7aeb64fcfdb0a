/** Starts the popup. In a tab (`?site=`) it is the same panel, about that site. */
import { render } from 'preact';
import { api } from '../platform.ts';
import { applyRemembered } from '../ui/theme.ts';
import { App } from './app.tsx';
import { start } from './store.ts';

applyRemembered();
const search = new URLSearchParams(location.search);
document.body.classList.toggle('in-tab', search.has('site'));
// What a link opens takes over: Firefox would leave the popup in front of it.
addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[target]') : null;
  if (link === null || search.has('site')) return;
  event.preventDefault();
  void api.tabs.create({ url: link.href }).then(close);
});
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
void start(search);
