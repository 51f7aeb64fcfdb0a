/**
 * Takes upgrades that passed the guard, runs the handshake, and hands proven connections on.
 *
 * Unproven sockets: at most eight, three seconds, a few kilobytes counted on the raw socket (the frame limit of the WebSocket
 * library is the large one that proven connections need). A proven connection is never closed in favour of another.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { MAX_TEXT_FRAME, renderFrame } from '@throughline/shared/protocol/codec';
import type { CompanionToExtension } from '@throughline/shared/protocol/frames';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { Log } from '../log.ts';
import type { Pairings } from '../pairing/pairings.ts';
import { MAX_UNPROVEN_FRAME, type Proven, startHandshake } from './handshake.ts';

/**
 * Bytes of one message, above which the WebSocket library closes the connection. The codec's limit counts UTF-16 units, of at most
 * three bytes: whatever it may refuse arrives here whole, and is refused alone.
 */
const MAX_MESSAGE = 3 * MAX_TEXT_FRAME;
const MAX_UNPROVEN = 8;
const UNPROVEN_MILLISECONDS = 3_000;
const PING_MILLISECONDS = 20_000;

/** One proven connection, as the rest of the companion sees it. */
export interface Line {
  readonly client: string;
  readonly proven: Proven;
  send(frame: CompanionToExtension): void;
  /** Sends and resolves when the frame has left this process, or could not. */
  sendFlushed(frame: CompanionToExtension): Promise<'sent' | 'lost' | 'too-large'>;
  sendBytes(bytes: Uint8Array): void;
}

export interface LineHandler {
  text(text: string): void;
  binary(bytes: Uint8Array): void;
  closed(): void;
}

export interface GateDeps {
  readonly pairings: Pairings;
  readonly companionId: string;
  readonly port: () => number;
  readonly log: Log;
  readonly open: (line: Line) => LineHandler;
  /** Milliseconds; tests shorten it. */
  readonly unprovenMilliseconds?: number;
}

export interface Gate {
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  dropClient(client: string): void;
  close(): void;
}

const bytesOf = (data: RawData): Uint8Array =>
  Array.isArray(data) ? Buffer.concat(data) : data instanceof ArrayBuffer ? new Uint8Array(data) : data;

export function createGate(deps: GateDeps): Gate {
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE,
    clientTracking: false,
  });
  const unproven = new Set<WebSocket>();
  const proven = new Map<Line, WebSocket>();

  const attach = (web: WebSocket, who: Proven): void => {
    const line = lineOf(web, who);
    proven.set(line, web);
    const handler = deps.open(line);
    let alive = true;
    const timer = setInterval(() => {
      if (!alive) return web.terminate();
      alive = false;
      web.ping();
    }, PING_MILLISECONDS);
    timer.unref();
    web.on('pong', () => {
      alive = true;
    });
    web.on('message', (data, isBinary) => {
      alive = true;
      const bytes = bytesOf(data);
      if (isBinary) handler.binary(bytes);
      else handler.text(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'));
    });
    web.on('close', () => {
      clearInterval(timer);
      proven.delete(line);
      handler.closed();
    });
  };

  const greet = (web: WebSocket, socket: Duplex, origin: string): void => {
    unproven.add(web);
    const limit = deps.unprovenMilliseconds ?? UNPROVEN_MILLISECONDS;
    const timer = setTimeout(() => web.terminate(), limit);
    let received = 0;
    const count = (chunk: Buffer): void => {
      received += chunk.length;
      if (received > 2 * MAX_UNPROVEN_FRAME) web.terminate();
    };
    socket.on('data', count);
    const handshake = startHandshake({ pairings: deps.pairings, companionId: deps.companionId, port: deps.port(), origin });
    const done = (): void => {
      clearTimeout(timer);
      unproven.delete(web);
      socket.off('data', count);
    };
    const onMessage = (data: RawData, isBinary: boolean): void => {
      const bytes = bytesOf(data);
      if (isBinary || bytes.length > MAX_UNPROVEN_FRAME) {
        web.terminate();
        return;
      }
      const step = handshake.onText(Buffer.from(bytes).toString('utf8'));
      if (step.next === 'reply') {
        web.send(renderFrame(step.frame));
        return;
      }
      web.off('message', onMessage);
      done();
      if (step.next === 'proven') {
        attach(web, step.proven);
        return;
      }
      deps.log.warn('handshake-refused', { code: step.frame?.t === 'refused' ? step.frame.code : 'bad-proof' });
      if (step.frame !== null) web.send(renderFrame(step.frame));
      web.close(1008);
      setTimeout(() => web.terminate(), 1_000).unref();
    };
    web.on('message', onMessage);
    web.on('close', done);
  };

  return {
    accept(request, socket, head) {
      if (unproven.size >= MAX_UNPROVEN) {
        deps.log.warn('refused', { transport: 'upgrade', reason: 'too-many-unproven' });
        socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
        return;
      }
      server.handleUpgrade(request, socket, head, (web) => {
        web.on('error', () => web.terminate());
        greet(web, socket, request.headers.origin ?? '');
      });
    },
    dropClient(client) {
      for (const [line, web] of proven) if (line.client === client) web.terminate();
    },
    close() {
      for (const web of [...unproven, ...proven.values()]) web.terminate();
      server.close();
    },
  };
}

function lineOf(web: WebSocket, proven: Proven): Line {
  return {
    client: proven.pairing.client,
    proven,
    send(frame) {
      if (web.readyState === web.OPEN) web.send(renderFrame(frame));
    },
    sendFlushed: (frame) =>
      new Promise((resolve) => {
        if (web.readyState !== web.OPEN) return resolve('lost');
        const text = renderFrame(frame);
        if (text.length > MAX_TEXT_FRAME) return resolve('too-large');
        web.send(text, (error) => resolve(error === undefined || error === null ? 'sent' : 'lost'));
      }),
    sendBytes(bytes) {
      if (web.readyState === web.OPEN) web.send(bytes, { binary: true });
    },
  };
}
