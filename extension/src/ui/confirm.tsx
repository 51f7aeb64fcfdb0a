/** Asks once more before something that cannot be taken back, and says what will happen. */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../strings/strings.ts';

interface Question {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly act: () => void;
}

const question = signal<Question | null>(null);

/** Shows the question; `act` runs only when the person agrees. */
export function confirmFirst(asked: Question): void {
  question.value = asked;
}

export function ConfirmDialog() {
  const asked = question.value;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (asked !== null) dialog.current?.showModal();
  }, [asked]);
  if (asked === null) return null;
  const close = () => {
    question.value = null;
  };
  return (
    <dialog ref={dialog} aria-labelledby="confirm-title" onClose={close}>
      <h2 id="confirm-title">{asked.title}</h2>
      <p>{asked.text}</p>
      <div class="row">
        <span class="grow" />
        <button type="button" onClick={() => dialog.current?.close()}>
          {t('action.cancel')}
        </button>
        <button
          type="button"
          class="danger"
          onClick={() => {
            asked.act();
            dialog.current?.close();
          }}
        >
          {asked.action}
        </button>
      </div>
    </dialog>
  );
}
