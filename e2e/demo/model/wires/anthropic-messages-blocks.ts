/**
 * Anthropic's rules for `messages`: user first, roles alternate, nothing empty, tool results right after their calls and first in their
 * message, thinking blocks unchanged.
 */
import { isObject, type Json, strange, words } from '../shape.ts';
import { redacted, signed } from '../signature.ts';
import type { Refusal, Said } from '../wire.ts';

const BLOCKS: Record<string, ReadonlySet<string>> = {
  text: words('type text cache_control citations'),
  image: words('type source cache_control'),
  document: words('type source title context citations cache_control'),
  tool_use: words('type id name input cache_control caller'),
  tool_result: words('type tool_use_id content is_error cache_control'),
  thinking: words('type thinking signature'),
  redacted_thinking: words('type data'),
};

/** A 400 in Anthropic's shape. */
export const bad = (message: string): Refusal => ({ status: 400, message, type: 'invalid_request_error' });

interface Read {
  readonly texts: string[];
  readonly uses: string[];
  readonly results: string[];
  readonly marks: boolean;
}

function checkBlock(block: unknown, role: string, at: string): Refusal | Json {
  if (!isObject(block) || typeof block.type !== 'string') return bad(`${at}.type: Field required`);
  const keys = BLOCKS[block.type];
  if (keys === undefined) {
    const known = Object.keys(BLOCKS)
      .map((name) => `'${name}'`)
      .join(', ');
    return bad(`${at}: Input tag '${block.type}' found using 'type' does not match any of the expected tags: ${known}`);
  }
  const extra = strange(block, keys);
  if (extra !== null) return bad(`${at}.${block.type}.${extra}: Extra inputs are not permitted`);
  const only = {
    tool_result: 'user',
    image: 'user',
    document: 'user',
    tool_use: 'assistant',
    thinking: 'assistant',
    redacted_thinking: 'assistant',
  }[block.type];
  if (only !== undefined && only !== role) return bad(`${at}: \`${block.type}\` blocks can only be in \`${only}\` messages`);
  if (block.type === 'text') {
    if (typeof block.text !== 'string') return bad(`${at}.text.text: Field required`);
    if (block.text === '') return bad('messages: text content blocks must be non-empty');
    if (block.text.trim() === '') return bad('messages: text content blocks must contain non-whitespace text');
  }
  if (block.type === 'tool_use') {
    if (typeof block.id !== 'string' || !/^[a-zA-Z0-9_-]+$/.test(block.id))
      return bad(`${at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
    if (!isObject(block.input)) return bad(`${at}.tool_use.input: Input should be a valid dictionary`);
    if (typeof block.name !== 'string') return bad(`${at}.tool_use.name: Field required`);
  }
  if (block.type === 'tool_result' && typeof block.tool_use_id !== 'string')
    return bad(`${at}.tool_result.tool_use_id: Field required`);
  if (block.type === 'thinking') {
    if (typeof block.signature !== 'string') return bad(`${at}.thinking.signature: Field required`);
    if (!signed(String(block.thinking), block.signature)) return bad(`${at}: Invalid \`signature\` in \`thinking\` block`);
  }
  if (block.type === 'redacted_thinking' && !redacted(String(block.data)))
    return bad(`${at}: Invalid \`data\` in \`redacted_thinking\` block`);
  return block;
}

function textsOfResult(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('\n');
}

function readMessage(message: Json, role: string, index: number, last: boolean): Read | Refusal {
  const at = `messages.${index}`;
  const content = message.content;
  if (content === undefined) return bad(`${at}.content: Field required`);
  const empty = content === '' || (Array.isArray(content) && content.length === 0);
  if (empty && !(last && role === 'assistant'))
    return bad(`${at}: all messages must have non-empty content except for the optional final assistant message`);
  if (typeof content === 'string') {
    if (content !== '' && content.trim() === '') return bad('messages: text content blocks must contain non-whitespace text');
    return { texts: [content], uses: [], results: [], marks: false };
  }
  if (!Array.isArray(content)) return bad(`${at}.content: Input should be a valid list`);
  const read: Read = {
    texts: [],
    uses: [],
    results: [],
    marks: content.some((block) => isObject(block) && block.cache_control != null),
  };
  for (const [place, value] of content.entries()) {
    const block = checkBlock(value, role, `${at}.content.${place}`);
    if ('status' in block) return block as unknown as Refusal;
    if (block.type === 'text') read.texts.push(String(block.text));
    if (block.type === 'tool_use') {
      if (read.uses.includes(String(block.id))) return bad(`${at}.content.${place}: \`tool_use\` ids must be unique`);
      read.uses.push(String(block.id));
    }
    if (block.type === 'tool_result') {
      if (read.results.length < place)
        return bad(`${at}.content.${place}: \`tool_result\` blocks must come before any other content in their message`);
      read.results.push(String(block.tool_use_id));
      read.texts.push(textsOfResult(block.content));
    }
  }
  return read;
}

/** The messages as plain text, or the first thing wrong with them. */
export function checkMessages(messages: readonly unknown[]): { said: Said[]; marks: boolean } | Refusal {
  const said: Said[] = [];
  let open: string[] = [];
  let before = '';
  let marks = false;
  for (const [index, message] of messages.entries()) {
    const at = `messages.${index}`;
    if (!isObject(message)) return bad(`${at}: Input should be a valid dictionary or object to extract fields from`);
    const role = message.role;
    if (role === 'system')
      return bad(
        `${at}: Unexpected role "system". The Messages API accepts a top-level \`system\` parameter, not "system" as an input message role.`,
      );
    if (role !== 'user' && role !== 'assistant')
      return bad(role === undefined ? `${at}.role: Field required` : `${at}.role: Input should be 'user' or 'assistant'`);
    const extra = strange(message, words('role content'));
    if (extra !== null) return bad(`${at}.${extra}: Extra inputs are not permitted`);
    if (index === 0 && role !== 'user') return bad('messages: first message must use the "user" role');
    if (role === before)
      return bad(`messages: roles must alternate between "user" and "assistant", but found multiple "${role}" roles in a row`);
    before = role;
    const last = index === messages.length - 1;
    const read = readMessage(message, role, index, last);
    if ('status' in read) return read;
    const missing = open.filter((id) => !read.results.includes(id));
    if (missing.length > 0) {
      return bad(
        `messages.${index - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      );
    }
    const orphan = read.results.findIndex((id) => !open.includes(id));
    if (orphan >= 0) {
      return bad(
        `${at}.content.${orphan}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${read.results[orphan]}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    }
    open = read.uses;
    marks ||= read.marks;
    const text = read.texts.join('\n');
    if (last && role === 'assistant' && /\s$/.test(text))
      return bad('messages: final assistant content cannot end with trailing whitespace');
    said.push({ role, text });
  }
  if (open.length > 0) {
    return bad(
      `messages.${messages.length - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
    );
  }
  return { said, marks };
}
