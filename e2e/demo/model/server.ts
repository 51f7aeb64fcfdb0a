/**
 * The demo model over HTTP(S): every wire of the registry, the control endpoints, and the demo chat's page. Listens on 127.0.0.1 only.
 */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { createPromptCache } from './cache.ts';
import { type Controlled, control } from './control.ts';
import { CORS, type Delivery, deliver } from './deliver.ts';
import { createFaults, type Fault, typeOfStatus } from './faults.ts';
import { createRequestLog, type LogEntry } from './log.ts';
import { DEFAULTS, isSummary, type ModelOptions, promptTokens, speak, WINDOWS } from './model.ts';
import { type PageFile, pageFile } from './page.ts';
import type { Asked, ModelWire, Refusal } from './wire.ts';
import { modelWires } from './wires/registry.ts';

export interface DemoOptions {
  readonly port?: number;
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly options?: Partial<ModelOptions>;
}

export interface DemoServer extends Controlled {
  readonly port: number;
  readonly origin: string;
  close(): Promise<void>;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    // Not JSON: the wire's check refuses it in the provider's words.
    return undefined;
  }
}

function refusal(wire: ModelWire, refused: Refusal, entry: LogEntry): Delivery {
  entry.error = refused.message;
  entry.status = refused.status;
  return { status: refused.status, type: 'application/json', pieces: [JSON.stringify(wire.refusalBody(refused))], pace: 0 };
}

/** What stands in a stream that fails. */
function failureOf(wire: ModelWire, asked: Asked, entry: LogEntry): (sent: number) => string {
  const refused = { status: 500, message: 'The demo model was told to fail here.', type: typeOfStatus(500) };
  entry.error = refused.message;
  return (sent) => wire.streamError?.(asked, refused, sent) ?? `data: ${JSON.stringify(wire.refusalBody(refused))}\n\n`;
}

/** What to answer; every outcome, also the refused ones. */
function respond(
  wire: ModelWire,
  request: IncomingMessage,
  url: URL,
  body: Buffer,
  entry: LogEntry,
  state: Controlled,
): { delivery: Delivery; fault: Fault | null } {
  const parsed = parse(body);
  const context = { url, headers: request.headers, windows: WINDOWS };
  const beside = wire.beside?.(parsed, context) ?? null;
  if (beside !== null) {
    entry.status = beside.status;
    return {
      fault: null,
      delivery: { status: beside.status, type: 'application/json', pieces: [JSON.stringify(beside.body)], pace: 0 },
    };
  }
  const checked = wire.check(parsed, context);
  if (checked.ok) {
    entry.model = checked.asked.model;
    entry.kind = isSummary(checked.asked) ? 'summary' : 'turn';
    entry.messages = checked.asked.said.length;
  }
  const fault = state.faults.take(entry.kind);
  if (fault?.status !== undefined) {
    const message = `The demo model was told to answer ${fault.status}.`;
    const made = refusal(wire, { status: fault.status, message, type: typeOfStatus(fault.status) }, entry);
    return {
      fault,
      delivery: {
        ...made,
        ...(fault.headers ? { headers: fault.headers } : {}),
        pieces: fault.body === undefined ? made.pieces : [fault.body],
      },
    };
  }
  if (body.length > state.options.maxBytes) return { fault, delivery: refusal(wire, wire.tooLarge(), entry) };
  if (!checked.ok) return { fault, delivery: refusal(wire, checked.refusal, entry) };
  const { asked } = checked;
  const window = WINDOWS.get(asked.model) ?? 0;
  const tokens = promptTokens(asked);
  if (tokens > window) return { fault, delivery: refusal(wire, wire.tooLong(tokens, window), entry) };
  const spoken = speak(asked, state.options, state.cache);
  Object.assign(entry, spoken.priced);
  const delivery = asked.stream
    ? {
        ...(fault?.errorAfter === undefined ? {} : { failure: failureOf(wire, asked, entry) }),
        status: 200,
        type: wire.streamType?.(asked) ?? 'text/event-stream; charset=utf-8',
        stream: true,
        pieces: wire.events(asked, spoken),
        pace: state.options.pace,
      }
    : { status: 200, type: 'application/json', pieces: [JSON.stringify(wire.whole(asked, spoken))], pace: 0 };
  return { fault, delivery };
}

async function handle(request: IncomingMessage, response: ServerResponse, state: Controlled): Promise<void> {
  const method = request.method ?? 'GET';
  const url = new URL(request.url ?? '/', 'http://demo.invalid');
  const body = await readBody(request);
  if (url.pathname.startsWith('/demo/')) {
    const answered = control(method, url, parse(body), state);
    response.writeHead(answered.status, { 'content-type': 'application/json' }).end(answered.body);
    return;
  }
  const wire = modelWires.find((candidate) => candidate.matches(url.pathname));
  if (wire !== undefined && method === 'OPTIONS') {
    const wanted = request.headers['access-control-request-headers'] ?? '*';
    response
      .writeHead(204, {
        ...CORS,
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': wanted,
        'access-control-max-age': '600',
      })
      .end();
    return;
  }
  if (wire === undefined || method !== 'POST') {
    const file: PageFile | null = method === 'GET' ? await pageFile(url.pathname) : null;
    response.writeHead(file === null ? 404 : 200, {
      'content-type': file?.type ?? 'text/plain; charset=utf-8',
      'cache-control': 'no-cache',
    });
    response.end(file?.body ?? 'Not found');
    return;
  }
  const fields = {
    model: null,
    kind: 'turn',
    messages: 0,
    status: 200,
    error: null,
    cached: 0,
    fresh: 0,
    output: 0,
    ended: 'open',
  } as const;
  const entry = state.log.add(
    {
      at: Date.now(),
      method,
      path: url.pathname + url.search,
      headers: request.headers,
      wire: wire.id,
      bytes: body.length,
      ...fields,
    },
    body,
  );
  const { delivery, fault } = respond(wire, request, url, body, entry, state);
  const wait = (fault?.stallAfter === undefined ? (fault?.stall ?? 0) : 0) + state.options.delay;
  if (wait > 0) await setTimeout(wait);
  await deliver(response, delivery, fault, entry);
}

/** Starts the demo server. */
export async function startDemo({ port = 0, tls, options = {} }: DemoOptions = {}): Promise<DemoServer> {
  const state: Controlled = {
    options: { ...DEFAULTS, ...options },
    faults: createFaults(),
    log: createRequestLog(),
    cache: createPromptCache(),
  };
  const listener: RequestListener = (request, response) => {
    handle(request, response, state).catch((error: unknown) => {
      // A client that went away while sending, or a bug here: either way this connection is over, and a bug must be seen.
      if (!request.destroyed) console.error(error);
      response.destroy();
    });
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve());
  });
  const taken = (server.address() as AddressInfo).port;
  return {
    ...state,
    port: taken,
    origin: `${tls ? 'https' : 'http'}://127.0.0.1:${taken}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
