/** A tiny provider double on a free loopback port: remembers every request, answers as the test says. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

export type Answering = (request: Seen, response: ServerResponse) => unknown;

export interface Upstream {
  readonly origin: string;
  readonly seen: Seen[];
  /** Connections that were ever opened. */
  readonly connections: () => number;
  answer: Answering;
  /** Resolves when the client closed the connection of the nth request (from 0) before its answer ended. */
  aborted(index: number): Promise<void>;
  close(): Promise<void>;
}

/** A complete streamed chat answer, as raw SSE events. */
export function sse(...texts: string[]): string[] {
  const piece = (delta: object, finish: string | null = null): string =>
    `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  return [piece({ role: 'assistant' }), ...texts.map((content) => piece({ content })), piece({}, 'stop'), 'data: [DONE]\n\n'];
}

/** A complete chat answer in one JSON body. */
export function completion(content: string): string {
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
  return JSON.stringify({
    id: 'c1',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage,
  });
}

export const answerWith =
  (content: string): Answering =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(completion(content));
  };

export async function startUpstream(): Promise<Upstream> {
  const seen: Seen[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const ended: { promise: Promise<void>; resolve: () => void }[] = [];
  const endedAt = (index: number) => {
    while (ended.length <= index) {
      let resolve: () => void = () => undefined;
      const promise = new Promise<void>((done) => {
        resolve = done;
      });
      ended.push({ promise, resolve });
    }
    return ended[index] as (typeof ended)[number];
  };
  const upstream = { answer: answerWith('hello') } as { answer: Answering };
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const index = seen.length;
    response.on('close', () => {
      if (!response.writableFinished) endedAt(index).resolve();
    });
    const entry: Seen = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      rawHeaders: request.rawHeaders,
      body: Buffer.concat(parts).toString('utf8'),
    };
    seen.push(entry);
    await upstream.answer(entry, response);
  });
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(upstream, {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    connections: () => connections,
    aborted: (index: number) => endedAt(index).promise,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
