/** Serves the demo chat: its TypeScript is turned into JavaScript when it is asked for, so there is nothing to build. */
import { readFile } from 'node:fs/promises';
import ts from 'typescript';

const FOLDER = new URL('../page/', import.meta.url);
const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  ts: 'text/javascript; charset=utf-8',
};

export interface PageFile {
  readonly type: string;
  readonly body: string;
}

/** The file behind this path, or null. Only plain names inside the page's folder are served. */
export async function pageFile(path: string): Promise<PageFile | null> {
  const name = path === '/' ? 'index.html' : path.slice(1);
  const extension = /^[a-z-]+\.([a-z]+)$/.exec(name)?.[1] ?? '';
  const type = TYPES[extension];
  if (type === undefined) return null;
  let body: string;
  try {
    body = await readFile(new URL(name, FOLDER), 'utf8');
  } catch {
    // No such file: a 404 like any other.
    return null;
  }
  if (extension !== 'ts') return { type, body };
  const options = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    verbatimModuleSyntax: true,
    rewriteRelativeImportExtensions: false,
  };
  return { type, body: ts.transpileModule(body, { compilerOptions: options }).outputText };
}
