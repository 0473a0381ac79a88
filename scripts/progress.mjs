/** A length of time as a person says it: `0.4 s`, `12 s`, `3 min 5 s`. */
export function duration(ms) {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

const line = (name, text) => console.log(`  ${name.padEnd(14)} ${text}`);

/**
 * Runs one step of the set-up and says what it did.
 * `isCurrent` decides, cheaply, whether there is anything to do; `work` does it.
 */
export async function step(name, { isCurrent, doing, work, after }) {
  const started = performance.now();
  if (await isCurrent()) {
    line(name, 'up to date');
    return false;
  }
  line(name, `${doing} ...`);
  const said = await work();
  await after?.();
  line(name, `${said ?? 'done'} in ${duration(performance.now() - started)}`);
  return true;
}
