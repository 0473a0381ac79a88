export interface Progress {
  advance(count: number): void;
  done(): void;
}

const BAR_WIDTH = 28;

/** A bar that redraws itself on a terminal; elsewhere one line for every tenth of the way. */
export function showProgress(out: NodeJS.WriteStream, title: string, total: number): Progress {
  const started = performance.now();
  let count = 0;
  let tenthsShown = 0;

  const draw = (): void => {
    const filled = Math.round((BAR_WIDTH * count) / total);
    const bar = '#'.repeat(filled) + '.'.repeat(BAR_WIDTH - filled);
    out.write(`\r${title}  ${bar}  ${count} of ${total}`);
  };
  const report = (): void => {
    const tenths = Math.floor((10 * count) / total);
    if (tenths > tenthsShown) out.write(`${title}: ${count} of ${total}\n`);
    tenthsShown = tenths;
  };

  return {
    advance(more) {
      count += more;
      if (out.isTTY) draw();
      else report();
    },
    done() {
      const seconds = (performance.now() - started) / 1000;
      out.write(`${out.isTTY ? '\n' : ''}${count} products in ${seconds.toFixed(1)} s\n`);
    },
  };
}
