/** A command to copy, with a button that says when it did. */
import { useSignal } from '@preact/signals';
import { t } from '../strings/strings.ts';

export function Command({ text }: { text: string }) {
  return (
    <div class="command">
      <code>{text}</code>
      <CopyButton text={text} />
    </div>
  );
}

export function CopyButton({ text, label }: { text: string; label?: string }) {
  const copied = useSignal(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    copied.value = true;
    setTimeout(() => {
      copied.value = false;
    }, 2000);
  };
  return (
    <button type="button" class="small" onClick={copy}>
      <span aria-live="polite">{copied.value ? t('action.copied') : (label ?? t('action.copy'))}</span>
    </button>
  );
}
