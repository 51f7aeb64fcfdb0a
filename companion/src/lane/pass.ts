/**
 * A request that is not ours to understand: it goes to the provider as it came, and the answer comes back as it is.
 */
import { createFlow } from '../turn/flow.ts';
import { type CallRequest, callUpstream } from '../upstream/call.ts';
import type { ClientAnswer } from './answer.ts';

export interface PassRequest extends CallRequest {
  readonly method: string;
}

/** Sends it; `failed` hears a code when no answer began. Returns what ends it early. */
export function passOn(request: PassRequest, answer: ClientAnswer, failed: (code: string) => void): () => void {
  const flow = createFlow();
  answer.use(flow);
  const call = callUpstream(request, {
    started: () => undefined,
    head: answer.head,
    chunk(bytes) {
      answer.chunk(bytes);
      flow.sent(bytes.length);
    },
    end: answer.end,
    failed(code) {
      if (answer.headed()) answer.break();
      else failed(code);
    },
  });
  flow.use(call);
  return call.abort;
}
