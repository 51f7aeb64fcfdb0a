/** Starts the popup. In a tab (`?site=`) it is the same panel, about that site. */
import { render } from 'preact';
import { applyRemembered } from '../ui/theme.ts';
import { App } from './app.tsx';
import { start } from './store.ts';

applyRemembered();
const search = new URLSearchParams(location.search);
document.body.classList.toggle('in-tab', search.has('site'));
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
void start(search);
