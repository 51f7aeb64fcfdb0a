/** A switch with its state in words. */
import { t } from '../strings/strings.ts';
import { Icon } from './icon.tsx';

interface SwitchProps {
  on: boolean;
  label: string;
  flip: () => void;
}

export function Switch({ on, label, flip }: SwitchProps) {
  return (
    <button type="button" class="switch" role="switch" aria-checked={on} aria-label={label} onClick={flip}>
      <span class="switch-knob">
        <Icon name="power" />
      </span>
      {t(on ? 'word.on' : 'word.off')}
    </button>
  );
}
