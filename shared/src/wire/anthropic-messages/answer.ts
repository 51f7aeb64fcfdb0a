/**
 * Answers on the Anthropic messages wire, streamed or whole.
 *
 * A stream ends with `message_stop` and nothing after it counts; `error` may come inside a 200. Figures are totals: the start
 * tells the input, later deltas replace what they name. `input_tokens` leaves out what was read from or written to the cache.
 */
import { Gathering, later } from '../answer.ts';
import type { AnswerReader } from '../decoder.ts';
import { countOf, listOf, objectOf, type Plain, parseObject, stringOf } from '../plain.ts';
import type { Usage } from '../wire.ts';

/** A reader for one answer. */
export function createAnswerReader(): AnswerReader {
  const gathering = new Gathering();
  let over = false;
  let usage: Usage = { fresh: null, cached: null, written: null, output: null };

  const count = (value: unknown): void => {
    const told = objectOf(value);
    if (told === null) return;
    usage = {
      fresh: later(usage.fresh, countOf(told.input_tokens)),
      cached: later(usage.cached, countOf(told.cache_read_input_tokens)),
      written: later(usage.written, countOf(told.cache_creation_input_tokens)),
      output: later(usage.output, countOf(told.output_tokens)),
    };
  };

  const stop = (value: unknown): void => {
    gathering.stop = stringOf(value) ?? gathering.stop;
  };

  const understand = (type: string | null, value: Plain): void => {
    switch (type) {
      case 'message_start':
        count(objectOf(value.message)?.usage);
        break;
      case 'content_block_start':
        takeBlock(gathering, keyOf(value), objectOf(value.content_block));
        break;
      case 'content_block_delta':
        takeDelta(gathering, keyOf(value), objectOf(value.delta));
        break;
      case 'message_delta':
        stop(objectOf(value.delta)?.stop_reason);
        count(value.usage);
        break;
      case 'message_stop':
        gathering.end();
        over = true;
        break;
      case 'error':
        gathering.fail();
        over = true;
        break;
      default:
        break; // ping, and whatever this wire learns to say
    }
  };

  return {
    event(type, data) {
      if (over || data.trim() === '') return;
      const value = parseObject(data);
      if (value === null) gathering.giveUp();
      else understand(type ?? stringOf(value.type), value);
    },
    body(text) {
      const value = parseObject(text);
      if (value === null) return gathering.giveUp();
      if (value.type === 'error' || objectOf(value.error) !== null) return gathering.fail();
      if (!Array.isArray(value.content)) return gathering.giveUp();
      for (const [index, block] of listOf(value.content).entries()) takeBlock(gathering, `${index}`, objectOf(block));
      stop(value.stop_reason);
      count(value.usage);
      gathering.end();
    },
    giveUp: () => gathering.giveUp(),
    answer: () => gathering.answer(usage),
  };
}

function keyOf(value: Plain): string {
  return `${countOf(value.index) ?? ''}`;
}

/** A block as it starts in a stream, or whole in a body. */
function takeBlock(gathering: Gathering, key: string, block: Plain | null): void {
  if (block?.type === 'text') gathering.text(stringOf(block.text));
  if (block?.type === 'thinking') gathering.reasoning(stringOf(block.thinking));
  if (block?.type !== 'tool_use') return;
  // A stream starts with an empty input and sends it in pieces; some servers send it whole at the start.
  const input = objectOf(block.input);
  const whole = input !== null && Object.keys(input).length > 0 ? JSON.stringify(input) : null;
  gathering.call(key, { id: stringOf(block.id), name: stringOf(block.name), arguments: whole });
}

function takeDelta(gathering: Gathering, key: string, delta: Plain | null): void {
  if (delta?.type === 'text_delta') gathering.text(stringOf(delta.text));
  if (delta?.type === 'thinking_delta') gathering.reasoning(stringOf(delta.thinking));
  if (delta?.type === 'input_json_delta') gathering.callPiece(key, stringOf(delta.partial_json));
}
