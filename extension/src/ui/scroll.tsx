/** A named box that scrolls and can be reached by keyboard, so that its text can be read without a mouse. */
import type { ComponentChildren } from 'preact';

export function Scroll({ label, paper, children }: { label: string; paper?: boolean; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must take the focus, or its end is out of reach.
    <section class={paper ? 'scroll paper' : 'scroll'} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
