/**
 * `GET /api/…`: read-only inspection for whoever holds the bearer key (the CLI reads it from its private file). Unknown and foreign
 * sessions get the same answer.
 */
import type { BlockId, ScopeId, SessionId } from '@throughline/shared/base/brand';
import { closureOf, originalSeqs } from '@throughline/shared/fold/unfold';
import type { SessionRecord } from '@throughline/shared/session/records';
import type { SessionStore } from '@throughline/shared/session/store';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { search } from '../store/search.ts';

export interface ApiDeps {
  readonly store: SessionStore;
  readonly scopes: () => readonly string[];
  readonly stats: () => Promise<unknown>;
}

const MAX_EVENTS = 1000;
/** More than a store keeps of one session. */
const ALL_EVENTS = 10_000;
const MAX_LISTED = 1000;
const MAX_FOUND = 1000;
const FOUND = 20;

interface SessionRoute {
  readonly Params: { readonly id: string };
  /** `scope` tells sessions of the same name apart. */
  readonly Querystring: { readonly scope?: string };
}
interface ListRoute {
  readonly Querystring: { readonly limit?: string };
}
interface SearchRoute {
  readonly Querystring: { readonly q?: string; readonly session?: string; readonly limit?: string };
}

/** A whole number from a query, or the usual one. */
function numberOf(text: string | undefined, usual: number, most: number): number {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Math.min(most, Number(text)) : usual;
}

export function apiRoutes(app: FastifyInstance, deps: ApiDeps): void {
  const { store } = deps;
  const unknown = (reply: FastifyReply): FastifyReply => reply.code(404).send({ error: 'unknown-session' });

  const find = async (session: string, only?: string): Promise<SessionRecord | null> => {
    for (const scope of deps.scopes()) {
      if (only !== undefined && only !== scope) continue;
      const record = await store.load(scope as ScopeId, session as SessionId);
      if (record !== null) return record;
    }
    return null;
  };

  app.get<ListRoute>('/api/sessions', async (request) => {
    const limit = numberOf(request.query.limit, MAX_LISTED, Number.MAX_SAFE_INTEGER);
    const all = await Promise.all(deps.scopes().map((scope) => store.list({ scope: scope as ScopeId, limit })));
    return { sessions: all.flat().sort((a, b) => b.usedAt - a.usedAt) };
  });

  app.get<SessionRoute>('/api/sessions/:id', async (request, reply) => {
    const record = await find(request.params.id, request.query.scope);
    if (record === null) return unknown(reply);
    const blocks = await store.blocks(record.scope, record.session);
    return {
      session: record,
      blocks: blocks.map(({ blockId, tier, topic, state, refs, tokensBefore, tokensAfter }) => ({
        ...{ blockId, tier, topic, state, refs, tokensBefore, tokensAfter },
      })),
    };
  });

  app.get<SessionRoute>('/api/sessions/:id/snapshot', async (request, reply) => {
    const record = await find(request.params.id, request.query.scope);
    const snapshot = record === null ? null : await store.snapshot(record.scope, record.session);
    if (record === null || snapshot === null) return unknown(reply);
    return { ...snapshot, events: await store.events(record.scope, record.session, ALL_EVENTS) };
  });

  app.get('/api/tombstones', async () => {
    const all = await Promise.all(deps.scopes().map((scope) => store.tombstones(scope as ScopeId)));
    return { tombstones: all.flat() };
  });

  app.get<SearchRoute>('/api/search', async (request, reply) => {
    const { q = '', session, limit } = request.query;
    const of = session === undefined ? null : await find(session);
    if (session !== undefined && of === null) return unknown(reply);
    const question = { words: q, scopes: deps.scopes(), of, limit: numberOf(limit, FOUND, MAX_FOUND) };
    return { hits: await search(store, question) };
  });

  app.get<SessionRoute>('/api/sessions/:id/blocks', async (request, reply) => {
    const record = await find(request.params.id, request.query.scope);
    return record === null ? unknown(reply) : { blocks: await store.blocks(record.scope, record.session) };
  });

  app.get<SessionRoute>('/api/sessions/:id/transcript', async (request, reply) => {
    const record = await find(request.params.id, request.query.scope);
    return record === null ? unknown(reply) : { rows: await store.rows(record.scope, record.session) };
  });

  app.get<SessionRoute>('/api/sessions/:id/events', async (request, reply) => {
    const record = await find(request.params.id, request.query.scope);
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
