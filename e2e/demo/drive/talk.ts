/** One turn through the page's own buttons, and what the popup and the model's log say about it. */
import { until } from '../../fixtures/process.ts';
import type { LogEntry } from '../model/log.ts';
import { countTokens } from '../model/tokens.ts';
import { type SessionView, type Stage, snapshot } from './stage.ts';

export interface Turn {
  readonly number: number;
  readonly reply: string;
  readonly failed: boolean;
  /** Null when the extension let this request pass by itself. */
  readonly view: SessionView | null;
  /** Tokens of the history the page holds, counted in the page; tokens the model was sent, counted from the bytes it received. */
  readonly pageTokens: number;
  readonly sentTokens: number;
  readonly entry: LogEntry | null;
}

/** Says it, waits for the whole answer and for both sides to have stored it. `requests`: how many this session completed before. */
export async function say(stage: Stage, text: string, number: number, requests: number): Promise<Turn> {
  const { page, demo } = stage;
  const seen = demo.log.list(0).at(-1)?.n ?? 0;
  await page.getByTestId('composer').fill(text);
  await page.getByTestId('send').click();
  await page.waitForFunction(
    (turns) => Number(document.body.dataset.turns) >= turns && document.body.dataset.state !== 'streaming',
    number,
    { timeout: 60_000 },
  );
  const failed = (await page.evaluate(() => document.body.dataset.state)) === 'error';
  const reply = (await page.getByTestId('message-assistant').last().locator('.body').textContent()) ?? '';
  const entry = demo.log.list(seen).findLast(({ kind }) => kind === 'turn') ?? null;
  const view = failed ? null : await settled(stage, requests + 1);
  const history = await page.evaluate(() =>
    [...document.querySelectorAll('.message .body')].map((body) => body.textContent ?? ''),
  );
  // What the page sent: everything but the answer that came.
  const pageTokens = history.slice(0, -1).reduce((sum, body) => sum + countTokens(body) + 4, 0);
  return { number, reply, failed, view, pageTokens, entry, sentTokens: (entry?.cached ?? 0) + (entry?.fresh ?? 0) };
}

/** Waits until the turn is stored and no summary is being written. */
async function settled(stage: Stage, requests: number): Promise<SessionView> {
  const done = async () => {
    const { session, live } = await snapshot(stage);
    return session !== null && session.stats.requests >= requests && live === null ? session : null;
  };
  return until('the turn is stored', done, 10);
}

/** Text of every message the model was sent in this request. */
export function sentTexts(stage: Stage, entry: LogEntry): string[] {
  const body = JSON.parse(stage.demo.log.body(entry.n)?.toString('utf8') ?? '{}') as { messages?: { content: unknown }[] };
  return (body.messages ?? []).map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)));
}
