/** Which conversation this is, why, and its relatives. */
import type { SessionDetail } from '../../panel-messages.ts';
import { sentence, t } from '../../strings/strings.ts';
import { pageUrl } from '../../ui/ask.ts';
import { Icon } from '../../ui/icon.tsx';
import { LineageTree } from '../../ui/tree.tsx';
import { Why, whyLine } from '../../ui/why.tsx';
import { RELATIVES_SHOWN } from '../model.ts';
import { openSession, whyOpen } from '../store.ts';

export function Session({ session }: { session: SessionDetail }) {
  return (
    <section class="session" aria-label={t('popup.session')}>
      <h2>{t('popup.session')}</h2>
      <p class="title clip" title={session.title}>
        {session.title}
      </p>
      <div class="row top">
        <p class="grow">{whyLine(session)}</p>
        <button type="button" class="small" aria-expanded={whyOpen.value} onClick={() => (whyOpen.value = !whyOpen.value)}>
          {t('action.why')}
        </button>
      </div>
      <Origin session={session} />
      {whyOpen.value ? <Why session={session} /> : null}
    </section>
  );
}

/** Where this line came from, in one line: the tree below may be out of sight. */
function Origin({ session }: { session: SessionDetail }) {
  const own = session.tree.find((node) => node.current);
  const parent = session.tree.find((node) => node.session === own?.parent);
  if (own?.kind == null || parent === undefined) return null;
  return (
    <p class={`row origin kind-${own.kind}`}>
      <span class="kind">
        <Icon name={own.kind} size={14} /> {sentence('lineage', own.kind)}
      </span>
      <span class="clip muted" title={parent.title}>
        {t('tree.from', { title: parent.title })}
      </span>
    </p>
  );
}

export function Relatives({ session }: { session: SessionDetail }) {
  const { tree } = session;
  if (tree.length < 2) return <p class="muted">{t('tree.alone')}</p>;
  const route = `session/${encodeURIComponent(session.session)}/lineage`;
  return (
    <section aria-label={t('tree.title')}>
      <h2>{t('tree.title')}</h2>
      <LineageTree nodes={tree} open={(id) => openSession(id)} limit={RELATIVES_SHOWN} />
      {tree.length > RELATIVES_SHOWN ? (
        <a href={pageUrl('dashboard', route)} target="_blank" rel="noreferrer">
          {t('popup.lineage.more', { n: tree.length })}
        </a>
      ) : null}
    </section>
  );
}
