/** What a person does by hand where a browser cannot be told from outside. `build` is the extension's. */
import { extensionFolder } from './paths.mjs';
import { say } from './say.mjs';

const lines = (steps) => steps.map((step, index) => `  ${index + 1}. ${step}`).join('\n');

const CHROME = [
  'Open chrome://extensions and switch on “Developer mode” (top right).',
  `Press “Load unpacked” and choose ${extensionFolder('chrome')}`,
];
const FIREFOX = [
  'Open about:debugging#/runtime/this-firefox',
  `Press “Load Temporary Add-on…” and choose ${extensionFolder('firefox')}/manifest.json`,
];

/** Prints how to load the extension, pair it and where the chat is. */
export function printSteps({ build, reason, link, chat }) {
  say(`\n${reason}\n`);
  say(
    lines([
      ...(build === 'firefox' ? FIREFOX : CHROME),
      `Open this link in that browser within two minutes; it works once and pairs it:\n     ${link}`,
      `Open the demo chat: ${chat}`,
    ]),
  );
  say('\nIs the link too old? `npm run companion -- pair` prints another one.');
}
