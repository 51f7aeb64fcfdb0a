/** The popup: one column, the answer to each question where the eye goes next. */
import { useSignalEffect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { PanelSnapshot } from '../panel-messages.ts';
import { t } from '../strings/strings.ts';
import { pageUrl } from '../ui/ask.ts';
import { blockVerb } from '../ui/blocks.ts';
import { ContextGauge } from '../ui/gauge.tsx';
import { type KeyAction, listenKeys } from '../ui/keys.ts';
import { type PopupView, popupView } from './model.ts';
import { changeBlock, foldNow, now, opened, said, snapshot, undoLast, whyOpen } from './store.ts';
import { BlockOverlay } from './views/block-overlay.tsx';
import { Blocks } from './views/blocks.tsx';
import { Footer } from './views/footer.tsx';
import { Head } from './views/head.tsx';
import { AskUpstream, Bypass, Live } from './views/live.tsx';
import { Relatives, Session } from './views/session.tsx';
import { Site } from './views/site.tsx';

export function App() {
  useSignalEffect(() => {
    document.body.classList.toggle('wide', opened.value !== null);
  });
  useEffect(() => listenKeys(act), []);
  const found = snapshot.value;
  if (found === null) {
    return (
      <main class="popup">
        <h1 class="hidden-visually">{t('popup.title')}</h1>
        <p class="pad muted" role="status">
          {said.value ?? t('app.loading')}
        </p>
      </main>
    );
  }
  const view = popupView(found, now.value);
  if (opened.value !== null && found.session !== null) return <BlockOverlay session={found.session} block={opened.value} />;
  return <Panel found={found} view={view} />;
}

function Panel({ found, view }: { found: PanelSnapshot; view: PopupView }) {
  const { session } = found;
  return (
    <div class="popup">
      <Head snapshot={found} view={view} />
      <main class="body">
        <h1 class="hidden-visually">{t('popup.title')}</h1>
        <Site snapshot={found} view={view} />
        {said.value === null ? null : (
          <p class="said" role="status">
            {said.value}
          </p>
        )}
        <AskUpstream origins={found.askUpstream} />
        <Live live={found.live} />
        {session === null ? null : (
          <>
            <Session session={session} />
            <Blocks session={session} view={view} />
            <ContextGauge gauge={session.gauge} />
            <Relatives session={session} />
          </>
        )}
        {view.notice?.name === 'bypassed' ? null : <Bypass last={found.lastBypass} />}
      </main>
      <Footer session={session} view={view} />
    </div>
  );
}

function act(action: KeyAction): boolean {
  const session = snapshot.value?.session ?? null;
  const first = session === null || snapshot.value === null ? undefined : popupView(snapshot.value, now.value).blocks[0];
  if (action === 'back') {
    if (opened.value !== null) opened.value = null;
    else if (whyOpen.value) whyOpen.value = false;
    else return false;
    return true;
  }
  if (action === 'help') {
    open(pageUrl('dashboard', 'help'), '_blank');
    return true;
  }
  if (session === null) return false;
  const target = session.blockList.find((block) => block.blockId === opened.value) ?? first;
  if (action === 'why') whyOpen.value = !whyOpen.value;
  else if (action === 'fold') foldNow(session.session);
  else if (action === 'undo') undoLast();
  else if (action === 'originals' && first !== undefined) opened.value = opened.value === null ? first.blockId : null;
  else if (action === 'unfold' && target !== undefined) {
    const verb = blockVerb(target);
    if (verb === null) return false;
    changeBlock(session.session, target.blockId, verb);
  } else return false;
  return true;
}
