/** The dashboard: sections on the left, conversations beside them, one conversation in full. */
import { useEffect } from 'preact/hooks';
import { t } from '../strings/strings.ts';
import { blockVerb } from '../ui/blocks.ts';
import { ConfirmDialog } from '../ui/confirm.tsx';
import { type KeyAction, listenKeys } from '../ui/keys.ts';
import { Notice } from '../ui/notice.tsx';
import { overallState } from '../ui/states.ts';
import { PLACES, type Place, TABS } from './route.ts';
import * as store from './store.ts';
import { Flow } from './views/flow.tsx';
import { Health } from './views/health.tsx';
import { Help } from './views/help.tsx';
import { Nav } from './views/nav.tsx';
import { Session } from './views/session.tsx';
import { Sessions } from './views/sessions.tsx';
import { SettingsForm } from './views/settings.tsx';
import { Sites } from './views/sites.tsx';

export function App() {
  useEffect(() => listenKeys(act), []);
  const { place } = store.route.value;
  const listed = place === 'sessions' || place === 'session';
  return (
    <div class={`board ${listed ? 'listed' : ''}`} data-place={place}>
      <Nav />
      {listed ? <Sessions /> : null}
      <main class="pane" tabIndex={-1}>
        {store.said.value === null ? null : (
          <p class="said row" role="status">
            <span class="grow">{store.said.value}</span>
            <button type="button" class="small" onClick={() => (store.said.value = null)}>
              {t('action.close')}
            </button>
          </p>
        )}
        <Trouble />
        <Here place={place} />
      </main>
      <ConfirmDialog />
    </div>
  );
}

/** What stands in the way of everything, said above whatever is on screen. */
function Trouble() {
  const snapshot = store.snapshot.value;
  const state = snapshot === null ? null : overallState(snapshot);
  if (snapshot === null || state === null || state.name === 'connecting') return null;
  return <Notice state={state} snapshot={snapshot} tab={null} enable={() => undefined} />;
}

function Here({ place }: { place: Place | 'session' }) {
  switch (place) {
    case 'sessions':
      return (
        <div class="page">
          <h1>{t('nav.sessions')}</h1>
          <p class="muted">{store.sessions.value?.length === 0 ? t('sessions.none') : t('sessions.pick')}</p>
        </div>
      );
    case 'session':
      return <Session />;
    case 'flow':
      return <Flow />;
    case 'sites':
      return <Sites />;
    case 'health':
      return <Health />;
    case 'settings':
      return <SettingsForm />;
    case 'help':
      return <Help />;
  }
}

function act(action: KeyAction): boolean {
  const route = store.route.value;
  if (action === 'search') {
    if (route.place !== 'session') store.go({ place: 'sessions' });
    requestAnimationFrame(() => document.getElementById('search')?.focus());
    return true;
  }
  if (action === 'help') return went('help');
  if (action.startsWith('go.')) {
    const place = PLACES.find((name) => `go.${name}` === action);
    return place === undefined ? false : went(place);
  }
  if (action === 'next' || action === 'previous') {
    store.step(action === 'next' ? 1 : -1);
    return true;
  }
  if (action === 'undo') {
    store.undoLast();
    return true;
  }
  if (action === 'back') {
    (document.activeElement as HTMLElement | null)?.blur();
    if (route.place === 'session' && route.block !== null) store.go({ ...route, block: null });
    else if (store.whyOpen.value) store.whyOpen.value = false;
    else if (route.place !== 'sessions') return went('sessions');
    return true;
  }
  return route.place === 'session' ? actOnSession(action, route.session, route.block) : false;
}

function went(place: Place): boolean {
  store.go({ place });
  return true;
}

function actOnSession(action: KeyAction, session: string, chosen: string | null): boolean {
  const detail = store.detail.value;
  if (detail === null) return false;
  const tab = TABS[Number(action.replace('tab', '')) - 1];
  const block = detail.blockList.find((one) => one.blockId === chosen) ?? detail.blockList.findLast((one) => blockVerb(one));
  if (action.startsWith('tab') && tab !== undefined) store.openSession(session, tab);
  else if (action === 'why') store.whyOpen.value = !store.whyOpen.value;
  else if (action === 'fold') store.foldNow(session);
  else if (action === 'originals' && block !== undefined) store.openSession(session, 'blocks', block.blockId);
  else if (action === 'unfold' && block !== undefined) {
    const verb = blockVerb(block);
    if (verb !== null) store.changeBlock(session, block.blockId, verb);
  } else if (action === 'pin' && store.message.value !== null) {
    const line = detail.messageList.find((one) => one.seq === store.message.value);
    if (line !== undefined) store.pin(session, line.seq, !line.pinned);
  } else return false;
  return true;
}
