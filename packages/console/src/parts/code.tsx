import { CopyButton } from './button.js';

/** A text for programs, with a button to copy it. Long ones scroll, by the keyboard too. */
export function Code({ text, label }: { text: string; label: string }) {
  return (
    <div class="code">
      <div class="code-head">
        <span>{label}</span>
        <CopyButton text={text} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls must be reached by the keyboard */}
      <section tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </section>
    </div>
  );
}
