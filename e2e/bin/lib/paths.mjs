/** Where things are in this checkout. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
export const inRoot = (...parts) => join(ROOT, ...parts);

/** The built companion's command line. */
export const CLI = inRoot('companion', 'dist', 'cli.js');

/** The built extension for a browser. */
export const extensionFolder = (build) => inRoot('extension', 'dist', build);
