/**
 * Google's rules for `contents`: the user first and last, results right after their calls and as many, signatures back on the calls of the
 * turn at hand.
 *
 * Contents of one role that stand in a row are one turn: Google's own client replays every event of a stream as a content.
 */
import type { Refusal, Said } from '../wire.ts';
import { bad, fields, isRefusal, PART_TYPE, readPart, type Turn } from './gemini-parts.ts';

const CONTENT_TYPE = 'type.googleapis.com/google.ai.generativelanguage.v1beta.Content';
const MISPLACED_CALL =
  'Please ensure that function call turn comes immediately after a user turn or after a function response turn.';
const MISPLACED_RESULT = 'Please ensure that function response turn comes immediately after a function call turn.';
const UNEQUAL =
  'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';

function checkTurns(turns: readonly Turn[]): Refusal | null {
  for (const [index, turn] of turns.entries()) {
    const before = turns[index - 1];
    if (turn.role === 'user' ? turn.calls.length > 0 : turn.results.length > 0)
      return bad(turn.role === 'user' ? MISPLACED_CALL : MISPLACED_RESULT);
    if (index === 0 && turn.role === 'model')
      return bad(turn.calls.length > 0 ? MISPLACED_CALL : 'Please ensure that multiturn requests start with a user role.');
    const calls = before?.calls ?? [];
    const firstOther = turn.kinds.findIndex((kind) => kind !== 'functionResponse');
    const late = firstOther >= 0 && turn.kinds.lastIndexOf('functionResponse') > firstOther;
    if (turn.results.length > 0 && (calls.length === 0 || late)) return bad(MISPLACED_RESULT);
    const open = [...calls];
    for (const result of turn.results) {
      const at = open.findIndex(
        (call) => call.name === result.name && (result.id === null || call.id === null || call.id === result.id),
      );
      if (at < 0) return bad(UNEQUAL);
      open.splice(at, 1);
    }
    if (open.length > 0) return bad(UNEQUAL);
  }
  const last = turns.at(-1);
  if (last?.role === 'model') return bad('Please ensure that multiturn requests end with a user role or a function response.');
  return checkCurrent(turns);
}

/** Within the current turn of the person, each step's first call carries its signature. */
function checkCurrent(turns: readonly Turn[]): Refusal | null {
  const start = turns.findLastIndex((turn) => turn.role === 'user' && turn.kinds.some((kind) => kind !== 'functionResponse'));
  for (const turn of turns.slice(start + 1)) {
    const [call] = turn.calls;
    if (call === undefined || call.signed) continue;
    return bad(
      `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${call.name}\` , position ${turn.at + 1}.`,
    );
  }
  return null;
}

/** The contents as plain text, or the first thing wrong with them. */
export function checkContents(contents: unknown): Said[] | Refusal {
  if (contents === undefined || (Array.isArray(contents) && contents.length === 0))
    return bad('* GenerateContentRequest.contents: contents is not specified\n');
  if (!Array.isArray(contents)) return bad(`Invalid value at 'contents' (${CONTENT_TYPE}), ${JSON.stringify(contents)}`);
  const said: Said[] = [];
  const turns: Turn[] = [];
  for (const [index, value] of contents.entries()) {
    const at = `contents[${index}]`;
    const content = fields(value, new Set(['role', 'parts']), at, CONTENT_TYPE);
    if (isRefusal(content)) return content;
    const { role = 'user', parts = [] } = content;
    if (role !== '' && role !== 'user' && role !== 'model') return bad('Please use a valid role: user, model.');
    if (!Array.isArray(parts)) return bad(`Invalid value at '${at}.parts' (${PART_TYPE}), ${JSON.stringify(parts)}`);
    if (parts.length === 0) return bad(`* GenerateContentRequest.${at}.parts: contents.parts must not be empty.\n`);
    const speaker = role === 'model' ? 'model' : 'user';
    let turn = turns.at(-1);
    if (turn?.role !== speaker) {
      turn = { role: speaker, at: index, kinds: [], calls: [], results: [] };
      turns.push(turn);
    }
    const texts: string[] = [];
    for (const [place, part] of parts.entries()) {
      const text = readPart(part, turn, `${at}.parts[${place}]`);
      if (typeof text !== 'string') return text;
      texts.push(text);
    }
    const answers = turn.kinds.at(-1) === 'functionResponse';
    said.push({
      role: speaker === 'model' ? 'assistant' : answers ? 'tool' : 'user',
      text: texts.filter((text) => text !== '').join('\n'),
    });
  }
  return checkTurns(turns) ?? said;
}
