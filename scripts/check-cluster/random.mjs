/** A small seeded generator (mulberry32). */
export class Random {
  #state;

  /** @param {number} seed */
  constructor(seed) {
    this.#state = seed >>> 0;
  }

  /** Uniform in [0, 1). */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Uniform over the whole numbers `low` to `high`, both included. */
  int(low, high) {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** An item, by the weights of all. */
  weighted(items) {
    let at = this.next() * items.reduce((sum, { weight }) => sum + weight, 0);
    for (const item of items) {
      at -= item.weight;
      if (at < 0) return item;
    }
    return items.at(-1);
  }
}
