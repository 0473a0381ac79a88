import { inOneLine } from './terminal/width.js';

export interface Progress {
  /** `done` is how far the whole has come, 0 to 1, where the count does not tell. */
  advance(count: number, done?: number): void;
  done(): void;
}

interface Measure {
  /** The number of all; undefined where nobody knows. */
  total?: number | undefined;
  /** The noun for the things that are counted. */
  unit: string;
}

const BAR_WIDTH = 28;
/** Between two drawings of the bar. */
const REDRAW_MS = 100;
/** Where nobody knows how many there are, and no terminal shows a running count, one line for so many. */
const LINE_EVERY = 50_000;

/** A bar that redraws itself on a terminal; elsewhere one line for every tenth of the way. */
export function showProgress(out: NodeJS.WriteStream, name: string, { total, unit }: Measure): Progress {
  const title = inOneLine(name);
  const started = performance.now();
  let count = 0;
  let drawnAt = Number.NEGATIVE_INFINITY;
  let stepsShown = 0;

  const soFar = (): string => (total === undefined ? `${count} ${unit}` : `${count} of ${total}`);
  const draw = (share: number | undefined): void => {
    const now = performance.now();
    if (now - drawnAt < REDRAW_MS && share !== 1) return;
    drawnAt = now;
    const filled = Math.round(BAR_WIDTH * Math.min(share ?? 0, 1));
    const bar = share === undefined ? '' : `${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}  `;
    out.write(`\r${title}  ${bar}${soFar()}`);
  };
  const report = (share: number | undefined): void => {
    const steps = Math.floor(share === undefined ? count / LINE_EVERY : 10 * share);
    if (steps > stepsShown) out.write(`${title}: ${soFar()}\n`);
    stepsShown = steps;
  };

  return {
    advance(more, done) {
      count += more;
      const share = done ?? (total === undefined ? undefined : count / total);
      if (out.isTTY) draw(share);
      else report(share);
    },
    done() {
      const seconds = (performance.now() - started) / 1000;
      const rate = seconds > 0 ? `, ${Math.round(count / seconds)} a second` : '';
      if (out.isTTY) out.write(`\r${title}  ${soFar()}\n`);
      out.write(`${count} ${unit} in ${seconds.toFixed(1)} s${rate}\n`);
    },
  };
}
