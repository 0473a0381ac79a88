/** The bounds of a cache. */
export interface LfuBounds {
  readonly countMax: number;
  readonly bytesMax: number;
}

interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
  uses: number;
}

/**
 * A cache that drops the entry used least often, and among equals the one used longest ago. Every call takes constant
 * time: keys stand in sets by how often they were used (Ketan Shah, Anirban Mitra and Dhruv Matani, "An O(1) algorithm
 * for implementing the LFU cache eviction scheme", 2010).
 */
export class LfuCache<Value> {
  readonly #bounds: LfuBounds;
  readonly #entries = new Map<string, Entry<Value>>();
  /** Keys by uses, those used longest ago first. None of the sets is empty. */
  readonly #byUses = new Map<number, Set<string>>();
  #leastUses = 1;
  #bytes = 0;

  constructor(bounds: LfuBounds) {
    this.#bounds = bounds;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#takeOut(key, entry.uses);
    entry.uses += 1;
    this.#putIn(key, entry.uses);
    // Its set was the lowest, and is gone: the next one up has this key at least.
    if (!this.#byUses.has(this.#leastUses)) this.#leastUses = entry.uses;
    return entry.value;
  }

  /** Keeps a value of so many bytes, which has not been used yet; one that is larger than the bound is not kept. */
  set(key: string, value: Value, bytes: number): void {
    this.delete(key);
    if (bytes > this.#bounds.bytesMax || this.#bounds.countMax < 1) return;
    while (this.#entries.size >= this.#bounds.countMax || this.#bytes + bytes > this.#bounds.bytesMax) this.#evict();
    this.#entries.set(key, { value, bytes, uses: 1 });
    this.#putIn(key, 1);
    this.#leastUses = 1;
    this.#bytes += bytes;
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
    this.#takeOut(key, entry.uses);
  }

  keys(): Iterable<string> {
    return this.#entries.keys();
  }

  #evict(): void {
    // Deleting may have emptied the lowest set; only then is it looked for.
    if (!this.#byUses.has(this.#leastUses)) this.#leastUses = Math.min(...this.#byUses.keys());
    const [oldest] = this.#byUses.get(this.#leastUses) ?? [];
    if (oldest !== undefined) this.delete(oldest);
  }

  #putIn(key: string, uses: number): void {
    const keys = this.#byUses.get(uses);
    if (keys === undefined) this.#byUses.set(uses, new Set([key]));
    else keys.add(key);
  }

  #takeOut(key: string, uses: number): void {
    const keys = this.#byUses.get(uses);
    keys?.delete(key);
    if (keys?.size === 0) this.#byUses.delete(uses);
  }
}
