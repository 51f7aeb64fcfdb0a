/**
 * Two spellings of every member: Google's parser takes `systemInstruction` and `system_instruction` alike, and clients use both.
 *
 * Names are asked for in the first spelling. An object that gives one member twice, in whatever spelling, is ambiguous.
 */
import { type JsonNode, type JsonObject, member } from '#base/json';

/** The name in camel case. */
export function camel(name: string): string {
  return name.replace(/(?<=.)_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Names in both spellings, for shapes. */
export function spelled(...names: readonly string[]): string[] {
  return [...new Set(names.flatMap((name) => [name, snake(name)]))];
}

/** The member of this name in either spelling; null says as little as nothing. */
export function either(node: JsonNode | undefined, name: string): JsonNode | undefined {
  if (node === undefined) return undefined;
  return [member(node, name), member(node, snake(name))].find((found) => found !== undefined && !isNull(found));
}

/** True when a member is given twice. */
export function isAmbiguous(node: JsonObject): boolean {
  return node.duplicate || new Set(node.members.map(({ key }) => camel(key))).size < node.members.length;
}

function isNull(node: JsonNode): boolean {
  return node.kind === 'literal' && node.value === null;
}
