import type { ComponentChildren } from 'preact';

/** A table that scrolls sideways where it is wider than the screen, by the keyboard too. */
export function TableScroll({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reached by the keyboard
    <section class="scroll" tabIndex={0} aria-label={label}>
      <table>{children}</table>
    </section>
  );
}
