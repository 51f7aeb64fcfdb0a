/** Settings as a form: every option with its unit and default. Each change is stored at once. */
import type { ComponentChildren } from 'preact';
import type { Settings } from '../../panel-messages.ts';
import { t } from '../../strings/strings.ts';
import { ask } from '../../ui/ask.ts';
import { confirmFirst } from '../../ui/confirm.tsx';
import { applySettings } from '../../ui/theme.ts';
import { DEFAULTS, retentionOf } from '../defaults.ts';
import { exportData, forget, refresh, said, snapshot, told } from '../store.ts';

function change(settings: Settings, part: Partial<Settings>): void {
  applySettings({ ...settings, ...part });
  void ask({ verb: 'settings.set', settings: part }).then((reply) => {
    if (told(reply)) said.value = t('settings.saved');
    void refresh();
  });
}

export function SettingsForm() {
  const settings = snapshot.value?.settings;
  if (settings === undefined) return <p class="page muted">{t('app.loading')}</p>;
  const set = (part: Partial<Settings>) => change(settings, part);
  return (
    <div class="page">
      <h1>{t('settings.title')}</h1>
      <form class="settings" onSubmit={(event) => event.preventDefault()}>
        <Choice label={t('settings.language')} value={settings.language} set={(language) => set({ language })}>
          <option value="system">{t('settings.language.system')}</option>
          <option value="en" lang="en">
            English
          </option>
          <option value="zh-CN" lang="zh-CN">
            简体中文
          </option>
        </Choice>
        <Choice label={t('settings.theme')} value={settings.theme} set={(theme) => set({ theme })}>
          <option value="system">{t('settings.theme.system')}</option>
          <option value="light">{t('settings.theme.light')}</option>
          <option value="dark">{t('settings.theme.dark')}</option>
        </Choice>
        <Check label={t('settings.badge')} on={settings.badge} standard={DEFAULTS.badge} set={(badge) => set({ badge })} />
        <Check label={t('settings.resend')} on={settings.resend} standard={DEFAULTS.resend} set={(resend) => set({ resend })}>
          {t('settings.resend.long')}
        </Check>
        <label class="setting">
          <span>{t('settings.retention')}</span>
          <span class="row">
            <input
              type="number"
              min="1"
              max="3650"
              step="1"
              value={settings.retentionDays}
              onChange={(event) => {
                const days = retentionOf(event.currentTarget.value);
                if (days === null) event.currentTarget.value = String(settings.retentionDays);
                else set({ retentionDays: days });
              }}
            />
            {t('settings.retention.unit')}
          </span>
          <span class="muted small-text">{t('settings.default', { value: DEFAULTS.retentionDays })}</span>
        </label>
        <p>
          <button type="button" class="small" onClick={() => set(DEFAULTS)}>
            {t('action.reset')}
          </button>
        </p>
      </form>
      <Data />
    </div>
  );
}

function Data() {
  const question = () =>
    confirmFirst({
      title: t('forget.all.ask'),
      text: t('forget.what'),
      action: t('forget.do'),
      act: () => forget(null, null),
    });
  return (
    <section>
      <h2>{t('settings.data')}</h2>
      <div class="row wrap">
        <button type="button" class="small" onClick={() => void exportData(null, 'json')}>
          {t('settings.export.json')}
        </button>
        <button type="button" class="small" onClick={() => void exportData(null, 'markdown')}>
          {t('settings.export.markdown')}
        </button>
        <button type="button" class="small danger" onClick={question}>
          {t('settings.forget.all')}
        </button>
      </div>
    </section>
  );
}

interface ChoiceProps<T extends string> {
  label: string;
  value: T;
  set: (value: T) => void;
  children: ComponentChildren;
}

function Choice<T extends string>({ label, value, set, children }: ChoiceProps<T>) {
  return (
    <label class="setting">
      <span>{label}</span>
      <select value={value} onChange={(event) => set(event.currentTarget.value as T)}>
        {children}
      </select>
    </label>
  );
}

interface CheckProps {
  label: string;
  on: boolean;
  standard: boolean;
  set: (on: boolean) => void;
  children?: ComponentChildren;
}

function Check({ label, on, standard, set, children }: CheckProps) {
  return (
    <label class="setting check">
      <input type="checkbox" checked={on} onChange={(event) => set(event.currentTarget.checked)} />
      <span>{label}</span>
      <span class="muted small-text">
        {children} {t('settings.default', { value: t(standard ? 'word.on' : 'word.off') })}
      </span>
    </label>
  );
}
