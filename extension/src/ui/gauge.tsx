/**
 * The context of the last request by category. Colour, pattern, word and number together, so colour is never alone.
 */
import type { Gauge } from '../panel-messages.ts';
import { language, t } from '../strings/strings.ts';
import { CATEGORIES } from './categories.ts';
import { compact, exact, percent } from './format.ts';

export interface GaugePart {
  readonly name: (typeof CATEGORIES)[number];
  readonly tokens: number;
  /** Width on the bar, 0..100. */
  readonly share: number;
}

/** Parts that are not empty, as shares of the window, or of the total when the window is unknown or exceeded. */
export function gaugeParts(gauge: Gauge): readonly GaugePart[] {
  const whole = Math.max(gauge.window ?? 0, gauge.total, 1);
  return CATEGORIES.map((name) => ({ name, tokens: gauge[name], share: (gauge[name] / whole) * 100 })).filter(
    (part) => part.tokens > 0,
  );
}

export function ContextGauge({ gauge }: { gauge: Gauge }) {
  const parts = gaugeParts(gauge);
  const words = parts.map((part) => `${t(`gauge.${part.name}`)} ${compact(part.tokens)}`);
  return (
    <section class="gauge" aria-label={t('gauge.title')}>
      <div class="row spread">
        <h2>{t('gauge.title')}</h2>
        <span class="number" title={exact(gauge.total, language.value)}>
          {gauge.window === null
            ? t('gauge.unknown', { total: compact(gauge.total) })
            : t('gauge.of', {
                total: compact(gauge.total),
                window: compact(gauge.window),
                percent: percent(gauge.total, gauge.window),
              })}
        </span>
      </div>
      <div class="bar" role="img" aria-label={t('gauge.picture', { parts: words.join(', ') })}>
        {parts.map((part) => (
          <span key={part.name} class={`part ${part.name}`} style={{ width: `${part.share}%` }} />
        ))}
      </div>
      <p class="legend" title={t('word.estimate.long')}>
        {parts.map((part) => (
          <span key={part.name} class="legend-item">
            <span class={`swatch ${part.name}`} />
            {t(`gauge.${part.name}`)} {compact(part.tokens)}
          </span>
        ))}
        <span class="muted">{parts.length === 0 ? t('gauge.empty') : t(`window.${gauge.windowSource}`)}</span>
      </p>
    </section>
  );
}
