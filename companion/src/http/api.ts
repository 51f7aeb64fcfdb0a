/**
 * `GET /api/…`: read-only inspection for whoever holds the bearer key (the CLI reads it from its private file). Unknown and foreign
 * sessions get the same answer.
 */
import type { BlockId, ScopeId, SessionId } from '@throughline/shared/base/brand';
import { closureOf, originalSeqs } from '@throughline/shared/fold/unfold';
import type { SessionRecord } from '@throughline/shared/session/records';
import type { SessionStore } from '@throughline/shared/session/store';
import type { FastifyInstance, FastifyReply } from 'fastify';

export interface ApiDeps {
  readonly store: SessionStore;
  readonly scopes: () => readonly string[];
  readonly stats: () => Promise<unknown>;
}

const MAX_EVENTS = 1000;
const MAX_LISTED = 1000;

interface SessionParams {
  readonly id: string;
}

export function apiRoutes(app: FastifyInstance, deps: ApiDeps): void {
  const { store } = deps;
  const unknown = (reply: FastifyReply): FastifyReply => reply.code(404).send({ error: 'unknown-session' });

  const find = async (session: string): Promise<SessionRecord | null> => {
    for (const scope of deps.scopes()) {
      const record = await store.load(scope as ScopeId, session as SessionId);
      if (record !== null) return record;
    }
    return null;
  };

  app.get('/api/sessions', async () => {
    const all = await Promise.all(deps.scopes().map((scope) => store.list({ scope: scope as ScopeId, limit: MAX_LISTED })));
    return { sessions: all.flat().sort((a, b) => b.usedAt - a.usedAt) };
  });

  app.get<{ Params: SessionParams }>('/api/sessions/:id', async (request, reply) => {
    const record = await find(request.params.id);
    if (record === null) return unknown(reply);
    const blocks = await store.blocks(record.scope, record.session);
    return {
      session: record,
      blocks: blocks.map(({ blockId, tier, topic, state, refs, tokensBefore, tokensAfter }) => ({
        blockId,
        tier,
        topic,
        state,
        refs,
        tokensBefore,
        tokensAfter,
      })),
    };
  });

  app.get<{ Params: SessionParams }>('/api/sessions/:id/blocks', async (request, reply) => {
    const record = await find(request.params.id);
    return record === null ? unknown(reply) : { blocks: await store.blocks(record.scope, record.session) };
  });

  app.get<{ Params: SessionParams }>('/api/sessions/:id/transcript', async (request, reply) => {
    const record = await find(request.params.id);
    return record === null ? unknown(reply) : { rows: await store.rows(record.scope, record.session) };
  });

  app.get<{ Params: SessionParams }>('/api/sessions/:id/events', async (request, reply) => {
    const record = await find(request.params.id);
    return record === null ? unknown(reply) : { events: await store.events(record.scope, record.session, MAX_EVENTS) };
  });

  app.get<{ Params: { session: string; block: string } }>('/api/blocks/:session/:block/originals', async (request, reply) => {
    const record = await find(request.params.session);
    if (record === null) return unknown(reply);
    const blocks = await store.blocks(record.scope, record.session);
    const block = blocks.find((one) => one.blockId === (request.params.block as BlockId));
    if (block === undefined) return reply.code(404).send({ error: 'unknown-block' });
    const rows = await store.rowsAt(record.scope, record.session, originalSeqs(block, blocks));
    return { block: block.blockId, through: closureOf(block, blocks).map((one) => one.blockId), rows };
  });

  app.get('/api/stats', () => deps.stats());
}
