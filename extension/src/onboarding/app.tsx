/** Five steps that tick themselves off: run, pair, choose a site, send a message, first saving. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { PanelSnapshot } from '../panel-messages.ts';
import { language, t } from '../strings/strings.ts';
import { AddSite } from '../ui/add-site.tsx';
import { ask, pageUrl } from '../ui/ask.ts';
import { Command } from '../ui/copy.tsx';
import { compact, hostOf } from '../ui/format.ts';
import { Icon } from '../ui/icon.tsx';
import { COMMANDS } from '../ui/states.ts';
import { applySettings } from '../ui/theme.ts';
import { type Progress, progressOf, STEPS, type Step } from './model.ts';
import { pair, refresh, said, sessions, sites, snapshot } from './store.ts';

export function App() {
  const found = snapshot.value;
  return (
    <main>
      <header class="row spread">
        <h1 class="row">
          <span class="logo">
            <Icon name="logo" size={24} />
          </span>
          {t('onboarding.title')}
        </h1>
        {found === null ? null : <Language snapshot={found} />}
      </header>
      <p>{t('onboarding.lead')}</p>
      {said.value === null ? null : (
        <p class="said" role="alert">
          {said.value}
        </p>
      )}
      {found === null ? <p class="muted">{t('app.loading')}</p> : <Steps snapshot={found} />}
      <p class="muted limits">{t('onboarding.limits')}</p>
      <p>
        <a href={pageUrl('dashboard')}>{t('onboarding.skip')}</a>
      </p>
    </main>
  );
}

function Language({ snapshot: { settings } }: { snapshot: PanelSnapshot }) {
  const other = language.value === 'en' ? 'zh-CN' : 'en';
  const speak = () => {
    applySettings({ ...settings, language: other });
    void ask({ verb: 'settings.set', settings: { language: other } }).then(refresh);
  };
  return (
    <button type="button" class="small" lang={other} title={t('action.language.long')} onClick={speak}>
      {t('action.language')}
    </button>
  );
}

function Steps({ snapshot }: { snapshot: PanelSnapshot }) {
  const progress = progressOf(snapshot, sites.value, sessions.value);
  const site = sites.value[0];
  return (
    <>
      <p class="row" role="status">
        <progress max={STEPS.length} value={progress.done.size} aria-label={t('onboarding.title')} />
        <span class="number">{t('onboarding.progress', { n: progress.done.size, total: STEPS.length })}</span>
      </p>
      <ol>
        <StepCard step="run" progress={progress} done={t('onboarding.run.done', { port: snapshot.companionPort ?? 4747 })}>
          <p>{t('onboarding.run.text')}</p>
          <Command text={COMMANDS.start} />
          <p class="muted">{t('onboarding.run.wait')}</p>
        </StepCard>
        <StepCard step="pair" progress={progress} done={t('onboarding.pair.done')}>
          <p>{t('onboarding.pair.text')}</p>
          <PairForm />
        </StepCard>
        <StepCard
          step="site"
          progress={progress}
          done={t('onboarding.site.done', { sites: sites.value.map(hostOf).join(', ') })}
        >
          <p>{t('onboarding.site.text')}</p>
          <AddSite
            done={(problem) => {
              said.value = problem;
              void refresh();
            }}
          />
        </StepCard>
        <StepCard step="message" progress={progress} done={t('onboarding.message.done', { n: sessions.value })}>
          <p>{t('onboarding.message.text')}</p>
          {site === undefined ? null : (
            <p>
              <a class="button" href={site} target="_blank" rel="noreferrer">
                {t('onboarding.message.open', { host: hostOf(site) })} <Icon name="out" size={14} />
              </a>
            </p>
          )}
        </StepCard>
        <StepCard step="saving" progress={progress} done={t('onboarding.saving.done', { n: compact(snapshot.saved.all) })}>
          <p>{t('onboarding.saving.text')}</p>
        </StepCard>
      </ol>
      {progress.now.size === 0 ? <p class="good">{t('onboarding.finish')}</p> : null}
    </>
  );
}

interface StepProps {
  step: Step;
  progress: Progress;
  /** The sentence shown once it is done. */
  done: string;
  children: ComponentChildren;
}

function StepCard({ step, progress, done, children }: StepProps) {
  const state = progress.done.has(step) ? 'done' : progress.now.has(step) ? 'now' : 'later';
  return (
    <li class={`step ${state}`} aria-current={state === 'now' ? 'step' : undefined}>
      <span class="step-mark" aria-hidden="true">
        {state === 'done' ? <Icon name="check" /> : STEPS.indexOf(step) + 1}
      </span>
      <div class="step-text">
        <div class="row spread">
          <h2>{t(`onboarding.${step}.title`)}</h2>
          <span class="small-text muted">{t(`onboarding.${state}`)}</span>
        </div>
        {state === 'done' ? <p class="good">{done}</p> : null}
        {state === 'now' ? children : null}
      </div>
    </li>
  );
}

function PairForm() {
  const link = useSignal('');
  return (
    <form
      class="row wrap"
      onSubmit={(event) => {
        event.preventDefault();
        void pair(link.value.trim());
      }}
    >
      <label class="grow field">
        <span>{t('onboarding.pair.label')}</span>
        <input
          required
          autocomplete="off"
          placeholder="http://127.0.0.1:4747/pair#k=…"
          value={link.value}
          onInput={(event) => (link.value = event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="primary">
        {t('onboarding.pair.button')}
      </button>
    </form>
  );
}
