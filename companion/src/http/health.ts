/** `GET /health`: that the companion is here, and which one. No other data, for anyone. */
import { PROTOCOL } from '@throughline/shared/protocol/frames';
import type { FastifyInstance } from 'fastify';
import { VERSION } from '../version.ts';

export interface HealthDeps {
  readonly companionId: string;
}

export function healthRoute(app: FastifyInstance, deps: HealthDeps): void {
  const answer = { ok: true, name: 'throughline', version: VERSION, protocol: PROTOCOL, companionId: deps.companionId };
  app.get('/health', () => answer);
}
