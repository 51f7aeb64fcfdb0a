/**
 * Text frames in and out. What arrives is untrusted: size, JSON, verb and shape are checked, and a refusal is a value.
 */
import * as v from 'valibot';
import { type CompanionToExtension, companionFrame, type ExtensionToCompanion, extensionFrame } from './frames.ts';

/** Largest text frame (a whole session snapshot may travel in one). */
export const MAX_TEXT_FRAME = 96 * 1024 * 1024;

export type Parsed<T> = { readonly ok: true; readonly frame: T } | { readonly ok: false; readonly problem: string };

export function renderFrame(frame: ExtensionToCompanion | CompanionToExtension): string {
  return JSON.stringify(frame);
}

function parseWith<S extends typeof extensionFrame | typeof companionFrame>(schema: S, text: string): Parsed<v.InferOutput<S>> {
  if (text.length > MAX_TEXT_FRAME) return { ok: false, problem: 'frame too large' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, problem: 'frame is not JSON' };
  }
  const result = v.safeParse(schema, value);
  if (result.success) return { ok: true, frame: result.output };
  const first = result.issues[0];
  return { ok: false, problem: `${v.getDotPath(first) ?? 'frame'}: ${first.type} expected` };
}

/** A frame from the extension, or what is wrong with it (never quoting its content). */
export function parseExtensionFrame(text: string): Parsed<ExtensionToCompanion> {
  return parseWith(extensionFrame, text);
}

/** A frame from the companion, or what is wrong with it. */
export function parseCompanionFrame(text: string): Parsed<CompanionToExtension> {
  return parseWith(companionFrame, text);
}
