/**
 * Control endpoints for tests and the unattended demo, under /demo/. No CORS headers here: other sites cannot read them.
 *
 * GET requests[?since=n] · GET requests/:n/body · POST options {…} · POST faults {…} · POST reset
 */
import type { PromptCache } from './cache.ts';
import { type Faults, parseFault } from './faults.ts';
import type { RequestLog } from './log.ts';
import { DEFAULTS, type ModelOptions } from './model.ts';
import { isObject } from './shape.ts';

export interface Controlled {
  readonly options: ModelOptions;
  readonly faults: Faults;
  readonly log: RequestLog;
  readonly cache: PromptCache;
}

export interface ControlAnswer {
  readonly status: number;
  readonly body: string | Buffer;
}

const json = (value: unknown, status = 200): ControlAnswer => ({ status, body: JSON.stringify(value) });
const wrong = (message: string): ControlAnswer => json({ error: message }, 400);

function setOptions(options: ModelOptions, value: unknown): ControlAnswer {
  if (!isObject(value)) return wrong('Options are a JSON object.');
  for (const [key, wanted] of Object.entries(value)) {
    if (!(key in DEFAULTS) || typeof wanted !== typeof DEFAULTS[key as keyof ModelOptions])
      return wrong(`No such option, or a wrong type: ${key}.`);
  }
  Object.assign(options, value);
  return json(options);
}

/** The answer of a control endpoint. */
export function control(method: string, url: URL, body: unknown, state: Controlled): ControlAnswer {
  const path = url.pathname.slice('/demo/'.length);
  if (method === 'GET' && path === 'requests') return json(state.log.list(Number(url.searchParams.get('since') ?? 0)));
  const one = /^requests\/(\d+)\/body$/.exec(path);
  if (method === 'GET' && one) {
    const bytes = state.log.body(Number(one[1]));
    return bytes === null ? json({ error: 'No such request.' }, 404) : { status: 200, body: bytes };
  }
  if (method === 'POST' && path === 'options') return setOptions(state.options, body);
  if (method === 'POST' && path === 'faults') {
    const fault = parseFault(body);
    if (fault === null) return wrong('A fault needs on (turn, summary, any) and times.');
    state.faults.add(fault);
    return json({ ok: true });
  }
  if (method === 'POST' && path === 'reset') {
    Object.assign(state.options, DEFAULTS);
    state.faults.clear();
    state.log.clear();
    state.cache.clear();
    return json({ ok: true });
  }
  return json({ error: 'No such control endpoint.' }, 404);
}
