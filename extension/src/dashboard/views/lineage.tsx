/** The family of a conversation: a tree for the keyboard first, the same as a picture below. */
import type { SessionDetail } from '../../panel-messages.ts';
import { sentence, t } from '../../strings/strings.ts';
import { Icon } from '../../ui/icon.tsx';
import { LineageTree } from '../../ui/tree.tsx';
import { lanePath, layoutLineage, scaleOf } from '../layout.ts';
import { openSession } from '../store.ts';

const KINDS = ['forked', 'truncated', 'derived', 'continued'] as const;

export function Lineage({ session }: { session: SessionDetail }) {
  const open = (id: string) => openSession(id, 'lineage');
  return (
    <div class="stack">
      {session.tree.length < 2 ? <p class="muted">{t('tree.alone')}</p> : null}
      <LineageTree nodes={session.tree} open={open} />
      <Picture session={session} open={open} />
      <section aria-label={t('lineage.legend')}>
        <ul class="row wrap kinds">
          {KINDS.map((kind) => (
            <li key={kind} class={`kind-${kind}`}>
              <span class="kind">
                <Icon name={kind} size={14} /> {sentence('lineage', kind)}
              </span>{' '}
              <span class="muted">{t(`lineage.${kind}.long`)}</span>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

function Picture({ session, open }: { session: SessionDetail; open: (id: string) => void }) {
  const picture = layoutLineage(session.tree);
  const scale = scaleOf(picture, 720);
  return (
    <svg
      class="picture"
      viewBox={`0 0 ${scale.width} ${scale.height}`}
      role="img"
      aria-label={t('lineage.picture', { n: picture.lanes.length })}
    >
      {picture.lanes.toReversed().map((lane) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: the tree above offers the same to the keyboard.
        <g
          key={lane.node.session}
          class={`lane kind-${lane.node.kind ?? 'root'} ${lane.node.current ? 'current' : ''}`}
          onClick={() => open(lane.node.session)}
        >
          <path d={lanePath(lane, scale)} />
          <circle cx={scale.x(lane.to)} cy={scale.y(lane.row)} r={lane.node.current ? 6 : 4} />
          <text x={Math.min(scale.x(lane.from) + 12, scale.width - 260)} y={scale.y(lane.row) - 8}>
            {clip(lane.node.title)} · {t('count.messages', { n: lane.node.messages })}
          </text>
        </g>
      ))}
    </svg>
  );
}

function clip(title: string): string {
  return title.length <= 40 ? title : `${title.slice(0, 39)}…`;
}
