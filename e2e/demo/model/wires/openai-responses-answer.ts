/** How the Responses server speaks: the response object, and the events that build it up. */
import { isObject, type Json } from '../shape.ts';
import { sign } from '../signature.ts';
import { pieces } from '../tokens.ts';
import type { Asked, Priced, Spoken } from '../wire.ts';

/** The id of the whole answer. */
export const responseId = (spoken: Spoken): string => `resp_${spoken.id}`;

const usageOf = (priced: Priced, thinking: number): object => ({
  input_tokens: priced.cached + priced.fresh,
  input_tokens_details: { cached_tokens: priced.cached },
  output_tokens: priced.output,
  output_tokens_details: { reasoning_tokens: thinking },
  total_tokens: priced.cached + priced.fresh + priced.output,
});

/** The finished items of an answer. Reasoning is shown only as far as it was asked for. */
export function itemsOf(asked: Asked, spoken: Spoken, body: Json): Json[] {
  const thinks = asked.thinking && spoken.thinking !== '';
  const mark = `${thinks ? 'r' : ''}${spoken.id}`;
  const items: Json[] = [];
  if (thinks) {
    const shown = isObject(body.reasoning) && body.reasoning.summary != null;
    const kept = Array.isArray(body.include) && body.include.includes('reasoning.encrypted_content');
    const text = Buffer.from(spoken.thinking, 'utf8').toString('base64');
    items.push({
      id: `rs_${spoken.id}`,
      type: 'reasoning',
      summary: shown ? [{ type: 'summary_text', text: spoken.thinking }] : [],
      ...(kept ? { encrypted_content: `${text}.${sign(spoken.thinking)}` } : {}),
    });
  }
  for (const call of spoken.calls)
    items.push({
      id: `fc_${mark}`,
      type: 'function_call',
      status: 'completed',
      arguments: call.arguments,
      call_id: call.id,
      name: call.name,
    });
  if (spoken.calls.length > 0) return items;
  return [
    ...items,
    {
      id: `msg_${mark}`,
      type: 'message',
      status: spoken.stop === 'length' ? 'incomplete' : 'completed',
      content: [{ type: 'output_text', annotations: [], logprobs: [], text: spoken.text }],
      role: 'assistant',
    },
  ];
}

/** The response object, finished or as it begins. */
export function responseOf(asked: Asked, spoken: Spoken, body: Json, finished: boolean): Json {
  const cut = spoken.stop === 'length';
  return {
    id: responseId(spoken),
    object: 'response',
    created_at: 1_700_000_000,
    status: !finished ? 'in_progress' : cut ? 'incomplete' : 'completed',
    background: false,
    error: null,
    incomplete_details: finished && cut ? { reason: 'max_output_tokens' } : null,
    instructions: body.instructions ?? null,
    max_output_tokens: asked.maxOutput,
    model: asked.model,
    output: finished ? itemsOf(asked, spoken, body) : [],
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    reasoning: body.reasoning ?? { effort: null, summary: null },
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: body.text ?? { format: { type: 'text' } },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    top_p: body.top_p ?? 1,
    truncation: body.truncation ?? 'disabled',
    usage: finished ? usageOf(spoken.priced, asked.thinking ? Math.min(spoken.priced.output, 20) : 0) : null,
    metadata: body.metadata ?? {},
    ...(body.conversation == null
      ? {}
      : { conversation: isObject(body.conversation) ? body.conversation : { id: body.conversation } }),
  };
}

/** The events of an answer. Each names its type twice and carries its number. */
export function eventsOf(asked: Asked, spoken: Spoken, body: Json): readonly string[] {
  const events: string[] = [];
  const event = (type: string, fields: object): void => {
    events.push(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: events.length, ...fields })}\n\n`);
  };
  event('response.created', { response: responseOf(asked, spoken, body, false) });
  event('response.in_progress', { response: responseOf(asked, spoken, body, false) });
  for (const [output_index, item] of itemsOf(asked, spoken, body).entries()) {
    const place = { item_id: item.id, output_index };
    const begun = { status: 'in_progress' };
    if (item.type === 'reasoning') {
      event('response.output_item.added', { output_index, item: { ...item, summary: [] } });
      for (const [summary_index, part] of (item.summary as Json[]).entries()) {
        const where = { ...place, summary_index };
        event('response.reasoning_summary_part.added', { ...where, part: { ...part, text: '' } });
        for (const delta of pieces(String(part.text), 24)) event('response.reasoning_summary_text.delta', { ...where, delta });
        event('response.reasoning_summary_text.done', { ...where, text: part.text });
        event('response.reasoning_summary_part.done', { ...where, part });
      }
    } else if (item.type === 'function_call') {
      event('response.output_item.added', { output_index, item: { ...item, ...begun, arguments: '' } });
      for (const delta of pieces(String(item.arguments), 24))
        event('response.function_call_arguments.delta', { ...place, delta });
      event('response.function_call_arguments.done', { ...place, arguments: item.arguments });
    } else {
      event('response.output_item.added', { output_index, item: { ...item, ...begun, content: [] } });
      for (const [content_index, part] of (item.content as Json[]).entries()) {
        const where = { ...place, content_index };
        event('response.content_part.added', { ...where, part: { ...part, text: '' } });
        for (const delta of pieces(String(part.text), 24))
          event('response.output_text.delta', { ...where, logprobs: [], delta });
        event('response.output_text.done', { ...where, logprobs: [], text: part.text });
        event('response.content_part.done', { ...where, part });
      }
    }
    event('response.output_item.done', { output_index, item });
  }
  event(`response.${spoken.stop === 'length' ? 'incomplete' : 'completed'}`, {
    response: responseOf(asked, spoken, body, true),
  });
  return events;
}
