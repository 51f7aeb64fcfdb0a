/** Switching a site on: by its address, or where it is already known. The browser is asked inside the click. */
import { useSignal } from '@preact/signals';
import { sentence, t } from '../strings/strings.ts';
import { ask, originOf, requestSite } from './ask.ts';

/** Asks for the permission and switches the site on. Call it in a click, before any await. Answers with the problem, or null. */
export async function enable(site: string): Promise<string | null> {
  // Sent, not awaited: the browser's question must come inside the click, and this panel may be gone when it is answered.
  void ask({ verb: 'site.want', site });
  if (!(await requestSite(site))) return t('error.permission-refused');
  const reply = await ask({ verb: 'site.set', site, on: true });
  return reply.ok ? null : sentence('error', reply.code, { message: reply.message });
}

export function AddSite({ done }: { done: (problem: string | null) => void }) {
  const address = useSignal('');
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const typed = address.value.trim();
    const site = originOf(typed.includes('://') ? typed : `https://${typed}`);
    if (site === null) done(t('error.bad-address'));
    else void enable(site).then(done);
  };
  return (
    <form class="row wrap" onSubmit={submit}>
      <label class="grow field">
        <span>{t('onboarding.site.label')}</span>
        <input
          inputMode="url"
          autocomplete="off"
          placeholder="https://chat.example.com"
          value={address.value}
          onInput={(event) => (address.value = event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="primary">
        {t('onboarding.site.button')}
      </button>
    </form>
  );
}
