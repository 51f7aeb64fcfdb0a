/** Why this conversation: the evidence, the nearest other candidate, and what was not looked at. */
import type { SessionDetail } from '../panel-messages.ts';
import { sentence, t } from '../strings/strings.ts';
import { shortHash } from './format.ts';
import { Icon } from './icon.tsx';

/** The reason in one line. */
export function whyLine({ why, lineage }: Pick<SessionDetail, 'why' | 'lineage'>): string {
  const { via, depth, incoming } = why;
  if (via === 'new' && lineage !== null && lineage.shared > 0) {
    return t('why.line.new.related', { shared: lineage.shared, incoming });
  }
  return t(`why.line.${via}`, { depth, incoming, fresh: Math.max(0, incoming - depth) });
}

export function Why({ session }: { session: SessionDetail }) {
  const { why } = session;
  const title = why.nextTitle ?? why.reason.next?.session ?? '';
  const rows: (readonly [string, string])[] = [
    [t('why.via'), sentence('via', why.via)],
    [
      t('why.depth'),
      t('why.depth.value', { depth: why.depth, incoming: why.incoming, fresh: Math.max(0, why.incoming - why.depth) }),
    ],
    [t('why.domain'), t(why.domain === null ? 'why.domain.none' : `why.domain.${why.domain}`)],
    [t('why.scope'), why.scope],
    [t('why.compared'), t('why.compared.value', { n: why.reason.compared })],
    [
      t('why.next'),
      why.reason.next === null ? t('why.next.none') : t('why.next.value', { title, depth: why.reason.next.depth }),
    ],
  ];
  if (why.reason.next !== null) {
    rows.push([t('why.differs'), t('why.differs.value', { n: why.reason.next.differsAt + 1, title })]);
  }
  rows.push([t('why.unused'), t('why.unused.value')]);
  return (
    <section class="why" aria-label={t('why.title')}>
      <p>{sentence('reason', why.reason.code)}</p>
      <dl>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        <div>
          <dt>{t('why.head')}</dt>
          <dd>{why.head === null ? t('why.head.none') : <code title={why.head}>{shortHash(why.head)}</code>}</dd>
        </div>
      </dl>
      <p class="muted">
        <Icon name="info" size={14} /> <strong>{t('why.means')}:</strong> {sentence('means', why.reason.code)}
      </p>
    </section>
  );
}
