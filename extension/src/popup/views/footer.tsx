/** Fold now, Undo and the way to the dashboard: always in reach. */
import type { SessionDetail } from '../../panel-messages.ts';
import { t } from '../../strings/strings.ts';
import { pageUrl } from '../../ui/ask.ts';
import { Icon } from '../../ui/icon.tsx';
import type { PopupView } from '../model.ts';
import { foldNow, undo, undoLast } from '../store.ts';

export function Footer({ session, view }: { session: SessionDetail | null; view: PopupView }) {
  const route = session === null ? '' : `session/${encodeURIComponent(session.session)}`;
  const last = undo.value;
  return (
    <footer class="foot row">
      {session === null ? null : (
        <button type="button" disabled={!view.canFold} title={t('popup.fold.long')} onClick={() => foldNow(session.session)}>
          <Icon name="fold" size={14} /> {t('popup.fold')}
        </button>
      )}
      {last === null ? null : (
        <button
          type="button"
          title={t(last.verb === 'refold' ? 'popup.undo.unfold' : 'popup.undo.refold', { block: last.block })}
          onClick={undoLast}
        >
          <Icon name="undo" size={14} /> {t('popup.undo')}
        </button>
      )}
      <span class="grow" />
      <a class="button" href={pageUrl('dashboard', route)} target="_blank" rel="noreferrer">
        {t('app.dashboard')} <Icon name="out" size={14} />
      </a>
    </footer>
  );
}
