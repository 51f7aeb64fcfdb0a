/**
 * Content as the wires with typed parts hold it: a string, or a list of objects that each say their type.
 */
import type { Sha256 } from '#base/digest';
import { type JsonDocument, type JsonNode, type JsonObject, textOf } from '#base/json';
import type { Part } from '#neutral/message';
import { spanOf, stringMember } from './body.ts';
import { partHasExtras, type Shape } from './members.ts';

/** Reads a part of a known type whose members are accounted for; null when it makes no sense all the same. */
export type ReadPart = (doc: JsonDocument, node: JsonObject, type: string, hash: Sha256) => Part | null;

/** The parts of a content value; what stands in no shape, or holds more than its shape, is `unknown`. */
export function typedParts(
  doc: JsonDocument,
  content: JsonNode | undefined,
  hash: Sha256,
  shapes: ReadonlyMap<string, Shape>,
  read: ReadPart,
): Part[] {
  if (content?.kind === 'string') return [{ kind: 'text', text: textOf(doc, content) }];
  if (content === undefined) return [{ kind: 'unknown' }];
  if (content.kind !== 'array') return [{ kind: 'unknown', span: spanOf(content) }];
  return content.items.map((node) => {
    const type = stringMember(doc, node, 'type') ?? '';
    const shape = shapes.get(type);
    const accounted = node.kind === 'object' && !node.duplicate && shape !== undefined && !partHasExtras(node, shape);
    return (accounted ? read(doc, node, type, hash) : null) ?? { kind: 'unknown', span: spanOf(node) };
  });
}
