/** A length of time as a person says it: `0.4 s`, `12 s`, `3 min 5 s`. */
export function duration(ms) {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Prints a line of a step. */
export const line = (name, text) => console.log(`  ${name.padEnd(14)} ${text}`);

/** Tells how far a long step has come, and how long it has taken, in a line for each tenth of it. */
export class Share {
  #name;
  #things;
  #total;
  #seen = new Set();
  #told = 0;
  #started = performance.now();

  /**
   * @param {string} name the step's
   * @param {string} things plural of what is counted
   * @param {number} total 0 where it is not known, and then nothing is told
   */
  constructor(name, things, total) {
    this.#name = name;
    this.#things = things;
    this.#total = total;
  }

  /**
   * Counts one thing, by its identity: one that comes again is the same. One that was there before took no time, and so
   * is not told.
   */
  add(id, wasThere = false) {
    this.#seen.add(id);
    const done = this.#seen.size;
    const tenths = Math.floor((10 * done) / this.#total);
    if (!(tenths > this.#told && done < this.#total)) return;
    this.#told = tenths;
    if (wasThere) return;
    const taken = duration(performance.now() - this.#started);
    line(this.#name, `${done} of ${this.#total} ${this.#things} after ${taken}`);
  }
}

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
