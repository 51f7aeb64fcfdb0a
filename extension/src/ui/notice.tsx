/** A named state in words: what still works, the cause, one action. */
import type { PanelSnapshot } from '../panel-messages.ts';
import { isKey, sentence, t } from '../strings/strings.ts';
import { ask, pageUrl, reloadTab, requestSite } from './ask.ts';
import { Command } from './copy.tsx';
import { hostOf } from './format.ts';
import { Icon } from './icon.tsx';
import type { NamedState } from './states.ts';

interface NoticeProps {
  state: NamedState;
  snapshot: PanelSnapshot;
  tab: number | null;
  /** Switches the site on; must run inside the click. */
  enable: () => void;
}

export function Notice({ state, snapshot, tab, enable }: NoticeProps) {
  const params = {
    host: hostOf(snapshot.site ?? ''),
    port: snapshot.companionPort ?? 4747,
    reason: state.code === null ? '' : sentence(state.name === 'bypassed' ? 'bypass' : 'fold', state.code),
  };
  return (
    <section class={`notice ${state.tone}`} data-state={state.name} role="status">
      <Icon name={state.tone === 'attention' ? 'alert' : 'info'} />
      <div class="notice-text">
        <p>
          <strong>{t(`state.${state.name}.works`)}</strong> {t(`state.${state.name}.cause`, params)}
        </p>
        {state.name === 'bypassed' && snapshot.lastBypass !== null ? (
          <p class="muted clip" title={snapshot.lastBypass.url}>
            {snapshot.lastBypass.url}
          </p>
        ) : null}
        <Action state={state} params={params} tab={tab} enable={enable} />
      </div>
    </section>
  );
}

interface ActionProps {
  state: NamedState;
  params: { host: string; port: number; reason: string };
  tab: number | null;
  enable: () => void;
}

function Action({ state, params, tab, enable }: ActionProps) {
  const { action } = state;
  const key = `state.${state.name}.action`;
  const label = isKey(key) ? t(key, params) : '';
  switch (action.kind) {
    case 'none':
      return null;
    case 'copy':
      return <Command text={action.command} />;
    case 'page':
      return (
        <a class="button primary" href={pageUrl(action.page, action.route)} target="_blank" rel="noreferrer">
          {label}
        </a>
      );
    default:
      return (
        <button type="button" class="primary" onClick={() => perform(action.kind, tab, enable)}>
          {label}
        </button>
      );
  }
}

function perform(
  kind: 'enable' | 'resume' | 'reload' | 'pair-again' | 'allow-loopback',
  tab: number | null,
  enable: () => void,
) {
  if (kind === 'enable') enable();
  else if (kind === 'resume') void ask({ verb: 'resume' });
  else if (kind === 'reload') reloadTab(tab);
  else if (kind === 'allow-loopback') void requestSite('http://127.0.0.1');
  else void ask({ verb: 'unpair' }).then(() => open(pageUrl('onboarding'), '_blank'));
}
