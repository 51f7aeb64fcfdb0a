/**
 * Which members of a message are accounted for. Everything else makes the message opaque, whatever its type: a number or a flag
 * can be content too (`page: 2`), and content that vanishes from identity would let two messages match wrongly.
 *
 * A member is accounted for when its place knows it with a value of the expected kind (the wire reads it, or leaves it out on
 * purpose), or when it is one of the status members below. Null says as little as nothing and is no member.
 */
import type { JsonNode, JsonObject } from '#base/json';

type Kind = JsonNode['kind'] | 'flag';

/** Members and the kinds of value each may have here. */
export type Shape = ReadonlyMap<string, readonly Kind[]>;

/** A shape from its members, grouped by what they hold; `any` is read by code that tells the unknown apart itself. */
export function shapeOf(members: {
  readonly text?: readonly string[];
  readonly flag?: readonly string[];
  readonly any?: readonly string[];
}): Shape {
  return new Map([...group(members.text, ['string']), ...group(members.flag, ['flag']), ...group(members.any, ANY)]);
}

const ANY: readonly Kind[] = ['object', 'array', 'string', 'number', 'literal', 'deep'];

function group(names: readonly string[] | undefined, kinds: readonly Kind[]): [string, readonly Kind[]][] {
  return (names ?? []).map((name) => [name, kinds]);
}

/** Status of a part or a call, which providers add to what they answered and clients send back. */
const PART_STATUS: Shape = new Map([
  // Ids and positions: they name the thing, and differ between two replays of the same one.
  ...group(['id', 'index'], ['string', 'number']),
  // What the provider did or how it ended.
  ...group(['status'], ['string']),
  // Signatures and encrypted reasoning, also in the gateways' wrappings: opaque to everybody but the provider, who re-issues them.
  ...group(['signature', 'reasoning_signature', 'encrypted_content'], ['string']),
  ...group(['extra_content', 'provider_specific_fields'], ['object']),
  // Marks for the prompt cache: they wander from message to message as the history grows.
  ...group(['cache_control'], ['object']),
  // Where the provider found what it said, and who ran a tool: dropped by most clients.
  ...group(['annotations', 'citations'], ['array', 'object']),
  ...group(['caller'], ['object', 'string']),
]);

/** Status of a whole message: the same, and what surrounds an answer. */
const MESSAGE_STATUS: Shape = new Map([
  ...PART_STATUS,
  // Which model answered, as which kind of object.
  ...group(['object', 'model', 'provider'], ['string']),
  // Clocks.
  ...group(['created', 'created_at', 'createdAt', 'timestamp', 'date'], ['string', 'number']),
  // How it ended, and what it cost.
  ...group(['finish_reason', 'stop_reason'], ['string']),
  ...group(['logprobs', 'usage', 'timings'], ['object']),
  ...group(['tokens', 'token_count', 'tokenCount'], ['number']),
  // The same reasoning once more, with the provider's signatures.
  ...group(['reasoning_details', 'thinking_blocks'], ['array']),
  // An answer begun by the client, to be gone on with: it says how to answer, and the text itself is there.
  ...group(['prefix', 'partial'], ['flag']),
]);

/** True when the message holds a member that is not accounted for. */
export function messageHasExtras(node: JsonObject, shape: Shape): boolean {
  return hasExtras(node, shape, MESSAGE_STATUS);
}

/** True when the part or call holds a member that is not accounted for. */
export function partHasExtras(node: JsonObject, shape: Shape): boolean {
  return hasExtras(node, shape, PART_STATUS);
}

/** True when the value inside a part (an image's source, a call's function) is no object of exactly this shape. */
export function innerHasExtras(node: JsonNode | undefined, shape: Shape): boolean {
  return node?.kind !== 'object' || node.duplicate || hasExtras(node, shape, null);
}

function hasExtras(node: JsonObject, shape: Shape, status: Shape | null): boolean {
  return node.members.some(({ key, value }) => {
    if (value.kind === 'literal' && value.value === null) return false;
    const kinds = shape.get(key) ?? status?.get(key);
    return kinds === undefined || (!kinds.includes(value.kind) && !(kinds.includes('flag') && value.kind === 'literal'));
  });
}
