export interface Part {
  readonly label: string;
  readonly value: number;
  readonly shown: string;
  /** Its place in the row of colours. */
  readonly colour: number;
}

/** A whole as a bar of its parts, with a line for each: the bar alone is for eyes. */
export function PartsBar({ parts, caption }: { parts: readonly Part[]; caption: string }) {
  const whole = parts.reduce((sum, { value }) => sum + Math.max(value, 0), 0);
  return (
    <div class="parts">
      <div class="parts-bar" aria-hidden="true">
        {parts
          .filter(({ value }) => value > 0)
          .map(({ label, value, colour }) => (
            <span key={label} class={`part part-${colour}`} style={{ flexGrow: value / whole }} />
          ))}
      </div>
      <dl class="parts-list" aria-label={caption}>
        {parts.map(({ label, shown, colour }) => (
          <div key={label}>
            <dt>
              <span class={`part-key part-${colour}`} aria-hidden="true" />
              {label}
            </dt>
            <dd>{shown}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
