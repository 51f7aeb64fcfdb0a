/**
 * What popup, dashboard and onboarding may ask: one function a verb.
 */
import { pinRow, refold, setMode, unfold } from '@throughline/shared/session/operations';
import type { Tombstone } from '@throughline/shared/session/records';
import type { PanelRequest, Reply } from '../../panel-messages.ts';
import { approveUpstream, readSettings, resume, setSiteResend, writePause, writeSettings } from '../settings.ts';
import { disableSite, enableSite } from '../sites.ts';
import type { OwnResult } from '../sync.ts';
import { asSession, held, no, type PanelWorld, UNKNOWN, yes } from './context.ts';
import { blockDetail, sessionDetail } from './detail.ts';
import { exportSessions } from './export.ts';
import { summaryLine } from './lines.ts';
import type { Snapshots } from './snapshot.ts';

type Verb = PanelRequest['verb'];
export type Handlers = { readonly [V in Verb]: (request: Extract<PanelRequest, { verb: V }>) => Promise<Reply<unknown>> };

const DROPPED: Readonly<Record<string, string>> = {
  'not-folded': 'This block is not folded. Reload to see its state.',
  'not-open': 'This block is folded already. Reload to see its state.',
};

/** The answer of an operation on a session. */
function owned(result: OwnResult): Reply<null> {
  if (result === 'committed') return yes(null);
  if (result === 'unknown' || result === 'forgotten') return UNKNOWN;
  if (result === 'stale') return no('stale', 'The conversation moved on at the same moment. Try again.');
  return no(result.dropped, DROPPED[result.dropped] ?? 'Nothing was changed. Reload to see the current state.');
}

export function panelVerbs(world: PanelWorld, snapshots: Snapshots): Handlers {
  const { sync } = world;
  return {
    snapshot: async ({ site, tab }) => yes(await snapshots.of(site, tab)),

    async sessions({ query, site, limit }) {
      const holding = await held(world);
      if (!holding) return yes([]);
      const words = query.trim().toLowerCase();
      const all = await holding.store.list({ scope: holding.scope, ...(site === null ? {} : { site }) });
      const found =
        words === '' ? all : all.filter((record) => `${record.title}\n${record.session}`.toLowerCase().includes(words));
      return yes(found.slice(0, limit).map((record) => summaryLine(record, world.flights.has(record.session))));
    },
    async session({ session }) {
      const holding = await held(world);
      const detail = holding && (await sessionDetail(holding, session, world));
      return detail ? yes(detail) : UNKNOWN;
    },
    async block({ session, block }) {
      const holding = await held(world);
      const detail = holding && (await blockDetail(holding, session, block));
      return detail ? yes(detail) : UNKNOWN;
    },
    async message({ session, seq }) {
      const holding = await held(world);
      const [row] = holding ? await holding.store.rowsAt(holding.scope, asSession(session), [seq]) : [];
      return row ? yes({ raw: row.raw }) : UNKNOWN;
    },

    async 'site.want'({ site }) {
      await world.wanted.ask(site);
      return yes(null);
    },
    async 'site.resend'({ site, on }) {
      await setSiteResend(site, on);
      world.changed();
      return yes(null);
    },
    async 'site.set'({ site, on }) {
      await world.wanted.done(site);
      if (on) {
        const change = await enableSite(site, world.now());
        if (!change.ok) return no(change.code, change.message);
      } else await disableSite(site);
      world.changed();
      return yes(null);
    },
    async 'site.allowUpstream'({ site, origin }) {
      await approveUpstream(site, origin);
      world.recall.answered(site, origin);
      world.changed();
      return yes(null);
    },
    async pause({ until, tab }) {
      await writePause({ until }, tab);
      world.changed();
      return yes(null);
    },
    async resume() {
      await resume();
      world.changed();
      return yes(null);
    },

    async 'fold.now'({ session }) {
      if (world.link.send({ t: 'fold.now', session })) return yes(null);
      return no('companion-off', 'The companion is not connected. Start it and try again.');
    },
    'fold.mode': async ({ session, mode }) =>
      owned(await sync.own(asSession(session), async (record) => setMode(record, mode, world.now()))),
    unfold: async ({ session, block }) => owned(await onBlock(session, block, 'unfold')),
    refold: async ({ session, block }) => owned(await onBlock(session, block, 'refold')),
    pin: async ({ session, seq, pinned }) =>
      owned(
        await sync.own(asSession(session), async (record, store) => {
          const [row] = await store.rowsAt(record.scope, record.session, [seq]);
          if (!row) return { dropped: 'rows-unknown' };
          return pinRow(record, row, pinned, await store.blocks(record.scope, record.session), world.now());
        }),
      ),

    async pair({ link }) {
      const result = await world.pair(link);
      if (!result.ok) return no(result.code, result.message);
      if (result.site !== null) {
        const change = await enableSite(result.site, world.now());
        if (!change.ok) return no(change.code, change.message);
      }
      world.changed();
      return yes(null);
    },
    async unpair() {
      await world.unpair();
      world.changed();
      return yes(null);
    },
    async forget({ session, site }) {
      const scope = await world.scope();
      if (!scope) return yes(null);
      const tombstone: Tombstone = { scope, session: session === null ? null : asSession(session), site, at: world.now() };
      await sync.forget(tombstone);
      world.changed();
      return yes(null);
    },
    async export({ session, format }) {
      const holding = await held(world);
      const made = holding && (await exportSessions(holding, session, format, world.now()));
      return made ? yes(made) : UNKNOWN;
    },
    'settings.get': async () => yes(await readSettings()),
    async 'settings.set'({ settings }) {
      await writeSettings(settings);
      world.changed();
      return yes(null);
    },
  };

  function onBlock(session: string, blockId: string, act: 'unfold' | 'refold'): Promise<OwnResult> {
    return sync.own(asSession(session), async (record, store) => {
      const blocks = await store.blocks(record.scope, record.session);
      const block = blocks.find((one) => one.blockId === blockId);
      if (!block) return { dropped: act === 'unfold' ? 'not-folded' : 'not-open' };
      return act === 'unfold' ? unfold(record, block, world.now()) : refold(record, block, world.now());
    });
  }
}
