/** Starts the page shown after installing. */
import { render } from 'preact';
import { onChanged } from '../ui/ask.ts';
import { keepStorage } from '../ui/persist.ts';
import { applyRemembered } from '../ui/theme.ts';
import { App } from './app.tsx';
import { refresh } from './store.ts';

applyRemembered();
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
onChanged(() => void refresh());
void refresh();
void keepStorage();
