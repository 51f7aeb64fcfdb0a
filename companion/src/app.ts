/**
 * The HTTP server: literal 127.0.0.1 only, the guard before Fastify sees anything, small limits and short timeouts.
 *
 * Fastify gets its server from here, so no plugin, hook or route can run ahead of the guard. Upgrades pass the same function.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import fastify, { type FastifyInstance } from 'fastify';
import { CHECKS, type Check, factsOf, type GuardWorld, guard } from './guard.ts';
import { type ApiDeps, apiRoutes } from './http/api.ts';
import { type HealthDeps, healthRoute } from './http/health.ts';
import { type PairDeps, pairRoutes } from './http/pair.ts';
import type { Log } from './log.ts';

export interface AppDeps {
  readonly world: GuardWorld;
  readonly log: Log;
  readonly health: HealthDeps;
  readonly pair: PairDeps;
  readonly api: ApiDeps;
  /** Serves a request of the http lane: its bodies are large and its answers are streams, so no framework stands between. */
  readonly lane: (request: IncomingMessage, response: ServerResponse) => void;
  /** Takes over an upgrade that passed the guard. */
  readonly socket: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Told of every route that is registered. */
  readonly onRoute?: (route: string) => void;
  /** For the mutation test only: the guard with other checks. */
  readonly checks?: readonly Check[];
}

/** From its first byte to the end of its body, for any request but those of the lane, which watches its own. */
const WHOLE_MILLISECONDS = 30_000;
/** Every request of an agent that is being answered holds one. */
const MAX_CONNECTIONS = 256;
const REFUSAL = 'HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';

function guardedServer(deps: AppDeps, handler: (request: IncomingMessage, response: never) => void): Server {
  const checks = deps.checks ?? CHECKS;
  const limits = {
    // Per request, below: an upload to the lane may take as long as it moves.
    requestTimeout: 0,
    headersTimeout: 10_000,
    keepAliveTimeout: 5_000,
    connectionsCheckingInterval: 1_000,
  };
  const server = createServer({ ...limits, requireHostHeader: false, maxHeaderSize: 16_384 }, (request, response) => {
    const rule = guard(factsOf(request, 'http'), deps.world, checks);
    if (rule === null) {
      deps.log.info('refused', { transport: 'http' });
      response.sendDate = false;
      response.writeHead(403, { 'content-length': 0, connection: 'close' }).end();
      return;
    }
    if (rule.name === 'lane') return deps.lane(request, response);
    const timer = setTimeout(() => request.destroy(), WHOLE_MILLISECONDS);
    request.on('close', () => clearTimeout(timer));
    handler(request, response as never);
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    if (guard(factsOf(request, 'upgrade'), deps.world, checks) !== null) {
      deps.socket(request, socket, head);
      return;
    }
    deps.log.info('refused', { transport: 'upgrade' });
    socket.end(REFUSAL);
  });
  return server;
}

/** The server, routes registered, not yet listening. */
export function buildApp(deps: AppDeps): FastifyInstance {
  const app = fastify({
    logger: false,
    bodyLimit: 4096,
    exposeHeadRoutes: false,
    serverFactory: (handler) => guardedServer(deps, handler),
  });
  app.addHook('onRoute', (route) => deps.onRoute?.(`${String(route.method)} ${route.url}`));
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: 4096 },
    app.getDefaultJsonParser('error', 'error'),
  );
  app.setErrorHandler((_error, _request, reply) => reply.code(403).send());
  app.setNotFoundHandler((_request, reply) => reply.code(403).send());
  deps.onRoute?.('* /lane/:key/*');
  healthRoute(app, deps.health);
  pairRoutes(app, deps.pair);
  apiRoutes(app, deps.api);
  return app;
}

/** Starts listening on 127.0.0.1 and nowhere else; answers the port. Tries the ports in order while they are taken. */
export async function listen(app: FastifyInstance, ports: readonly number[]): Promise<number> {
  await app.ready();
  let last: unknown = null;
  for (const port of ports) {
    try {
      await new Promise<void>((resolve, reject) => {
        app.server.once('error', reject);
        app.server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
          app.server.off('error', reject);
          resolve();
        });
      });
      const address = app.server.address();
      return typeof address === 'object' && address !== null ? address.port : port;
    } catch (error) {
      last = error;
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
  throw last;
}
