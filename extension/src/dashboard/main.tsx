/** Starts the dashboard. */
import { render } from 'preact';
import { keepStorage } from '../ui/persist.ts';
import { applyRemembered } from '../ui/theme.ts';
import { App } from './app.tsx';
import { start } from './store.ts';

applyRemembered();
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
void start();
void keepStorage();
