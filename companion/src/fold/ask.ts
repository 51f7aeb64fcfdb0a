/** One summary request: same URL, same headers, same provider as the conversation; not streamed, no tools. */
import { encodeUtf8 } from '@throughline/shared/base/utf8';
import { acceptSummary } from '@throughline/shared/fold/accept';
import type { FoldPlan } from '@throughline/shared/fold/plan';
import { summaryPrompt } from '@throughline/shared/fold/summary';
import { estimateTokens } from '@throughline/shared/tokens/estimate';
import type { StreamDecoder, Usage } from '@throughline/shared/wire/wire';
import type { Config } from '../config.ts';
import { callUpstream } from '../upstream/call.ts';
import { ownHeaders } from '../upstream/headers.ts';
import { approvals, judgeUpstream } from '../upstream/rules.ts';
import type { FoldContext } from './folder.ts';

/** A summary's answer is small; anything larger is not one. */
const MAX_ANSWER = 4 * 1024 * 1024;

type SummaryOutcome =
  | { readonly ok: true; readonly text: { summary: string; topic: string; tokens: number }; readonly cost: number }
  /** `cost`: what a refused or unfinished summary cost all the same; 0 when no answer began. */
  | { readonly ok: false; readonly code: string; readonly cost: number };

export interface Asking {
  readonly outcome: Promise<SummaryOutcome>;
  abort(): void;
}

/** What it cost in tokens: what the provider says, else the estimate. */
function costOf(usage: Usage, plan: FoldPlan, tokens: number): number {
  const input = [usage.fresh, usage.cached, usage.written].reduce<number | null>(
    (sum, part) => (part === null ? sum : (sum ?? 0) + part),
    null,
  );
  return (input ?? plan.sourceTokens) + (usage.output ?? tokens);
}

export function askSummary(context: FoldContext, plan: FoldPlan, config: Config, milliseconds: number): Asking {
  const { open, prepared, dispatcher, headers } = context;
  let settle: (outcome: SummaryOutcome) => void = () => undefined;
  const outcome = new Promise<SummaryOutcome>((resolve) => {
    settle = resolve;
  });
  const approved = approvals(config.upstream.allow, open);
  const target = judgeUpstream(prepared.wire.summaryUrl(open.upstream.url, plan.model), open.signal?.site ?? '', approved);
  if (!target.ok) {
    settle({ ok: false, code: target.code, cost: 0 });
    return { outcome, abort: () => undefined };
  }
  let decoder: StreamDecoder | null = null;
  let status = 0;
  let size = 0;
  const fail = (code: string): void => {
    clearTimeout(timer);
    const answer = decoder?.end() ?? null;
    const cost = answer === null ? 0 : costOf(answer.usage, plan, estimateTokens(answer.text));
    settle({ ok: false, code, cost });
  };
  const stop = (code: string): void => {
    call.abort();
    fail(code);
  };
  const timer = setTimeout(() => stop('timeout'), milliseconds);
  timer.unref();
  const finish = (): void => {
    const answer = decoder?.end() ?? null;
    if (answer === null) {
      fail(`http-${status}`);
      return;
    }
    const accepted = acceptSummary(answer, plan);
    if (!accepted.ok) {
      fail(accepted.code);
      return;
    }
    clearTimeout(timer);
    const { summary, topic, tokens } = accepted;
    settle({ ok: true, text: { summary, topic, tokens }, cost: costOf(answer.usage, plan, tokens) });
  };
  const call = callUpstream(
    {
      dispatcher,
      origin: target.origin,
      path: target.path,
      headers: ownHeaders(headers, 'application/json'),
      body: encodeUtf8(prepared.wire.summaryBody(summaryPrompt(plan), prepared.exchange)),
      firstByteMilliseconds: milliseconds,
      idleMilliseconds: milliseconds,
    },
    {
      started: () => undefined,
      head(given, _statusText, answerHeaders) {
        status = given;
        if (status < 200 || status > 299) return;
        decoder = prepared.wire.decoder(answerHeaders.find(([name]) => name === 'content-type')?.[1] ?? '');
      },
      chunk(bytes) {
        size += bytes.length;
        if (size > MAX_ANSWER) stop('too-long');
        else decoder?.feed(bytes);
      },
      end: finish,
      failed: (code) => fail(code.toLowerCase()),
    },
  );
  return { outcome, abort: () => stop('stopped') };
}
