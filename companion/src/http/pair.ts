/** `GET /pair` (the page) and `POST /pair` (the claim). A claim that fails for any reason gets the guard's answer: 403, empty. */
import type { FastifyInstance } from 'fastify';
import type { PairingDesk } from '../pairing/desk.ts';
import { PAIR_PAGE, PAIR_PAGE_HEADERS } from './pair-page.ts';

export interface PairDeps {
  readonly desk: PairingDesk;
  readonly port: () => number;
}

export function pairRoutes(app: FastifyInstance, deps: PairDeps): void {
  app.get('/pair', (_request, reply) => reply.headers(PAIR_PAGE_HEADERS).send(PAIR_PAGE));
  app.post('/pair', (request, reply) => {
    const answer = deps.desk.claim(request.body, request.headers.origin ?? '', deps.port());
    return answer === null ? reply.code(403).send() : reply.header('cache-control', 'no-store').send(answer);
  });
}
