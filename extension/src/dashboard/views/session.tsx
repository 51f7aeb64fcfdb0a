/** One conversation: what it cost and saved, why a request belongs to it, and four views of it. */
import type { SessionDetail } from '../../panel-messages.ts';
import { t } from '../../strings/strings.ts';
import { Waits } from '../../ui/waits.tsx';
import { Why, whyLine } from '../../ui/why.tsx';
import { TABS, type Tab } from '../route.ts';
import { current, detail, missing, openSession, route, whyOpen } from '../store.ts';
import { Blocks } from './blocks.tsx';
import { Events } from './events.tsx';
import { Lineage } from './lineage.tsx';
import { Messages } from './messages.tsx';
import { Actions, Facts } from './session-head.tsx';

export function Session() {
  const found = detail.value;
  const here = route.value;
  if (here.place !== 'session') return null;
  if (missing.value) return <p class="page">{t('sessions.gone')}</p>;
  if (found === null || found.session !== current.value) return <p class="page muted">{t('app.loading')}</p>;
  return (
    <div class="session">
      <div class="session-head">
        <div class="row spread wrap">
          <h1 class="clip grow" title={found.title}>
            {found.title}
          </h1>
          <Actions session={found} />
        </div>
        <Waits session={found} />
        <div class="row">
          <p class="grow">{whyLine(found)}</p>
          <button type="button" class="small" aria-expanded={whyOpen.value} onClick={() => (whyOpen.value = !whyOpen.value)}>
            {t('action.why')}
          </button>
        </div>
        {whyOpen.value ? <Why session={found} /> : null}
        <Facts session={found} />
      </div>
      <Tabs session={found} tab={here.tab} />
      <div class="tab-panel" role="tabpanel" id="panel" aria-labelledby={`tab-${here.tab}`} tabIndex={-1}>
        <View session={found} tab={here.tab} block={here.block} />
      </div>
    </div>
  );
}

function Tabs({ session, tab }: { session: SessionDetail; tab: Tab }) {
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const next = TABS[(TABS.indexOf(tab) + by + TABS.length) % TABS.length];
    if (by === 0 || next === undefined) return;
    openSession(session.session, next);
    document.getElementById(`tab-${next}`)?.focus();
    event.preventDefault();
  };
  return (
    <div class="tabs" role="tablist" aria-label={t('tab.label')} onKeyDown={onKeyDown}>
      {TABS.map((name, index) => (
        <button
          type="button"
          key={name}
          id={`tab-${name}`}
          role="tab"
          class="plain"
          aria-selected={name === tab}
          aria-controls="panel"
          tabIndex={name === tab ? 0 : -1}
          onClick={() => openSession(session.session, name)}
        >
          <kbd>{index + 1}</kbd> {t(`tab.${name}`)}
        </button>
      ))}
    </div>
  );
}

function View({ session, tab, block }: { session: SessionDetail; tab: Tab; block: string | null }) {
  switch (tab) {
    case 'messages':
      return <Messages session={session} />;
    case 'blocks':
      return <Blocks session={session} chosen={block} />;
    case 'lineage':
      return <Lineage session={session} />;
    case 'events':
      return <Events session={session} />;
  }
}
