import { Freshness } from './freshness.js';
import { findAmong } from './key-entries.js';
import type { FoundKey, KeySnapshot, Keys, ListedKey } from './keys.js';
import { isOtherMinute } from './last-uses.js';

/** The keys of a {@link KeyStore} on another thread, which follows them and changes none. */
export class KeyView implements Keys {
  readonly #snapshot: () => KeySnapshot;
  readonly #tellUse: (id: string) => void;
  readonly #now: () => number;
  /** The times of the uses that were told last, by key. */
  readonly #toldMs = new Map<string, number>();
  /** The time for which snapshots count: all of them have the same memory of it. */
  #freshness: Freshness | undefined;

  /**
   * @param snapshot gives what `tellChanges` told last, and waits for nothing
   * @param tellUse told of a key in use, once a minute
   * @param now the time, in milliseconds of the epoch
   */
  constructor(snapshot: () => KeySnapshot, tellUse: (id: string) => void, now: () => number = Date.now) {
    this.#snapshot = snapshot;
    this.#tellUse = tellUse;
    this.#now = now;
  }

  get isRequired(): boolean {
    return this.#snapshot().isRequired;
  }

  fresh(): Promise<void> | undefined {
    return this.#fresh()?.wait();
  }

  find(secret: string): FoundKey | undefined {
    this.#fresh()?.require();
    return findAmong(this.#snapshot().entries, secret, this.#now());
  }

  noteUse(id: string): void {
    const now = this.#now();
    const before = this.#toldMs.get(id);
    if (before !== undefined && !isOtherMinute(before, now)) return;
    this.#toldMs.set(id, now);
    this.#tellUse(id);
  }

  list(): readonly Pick<ListedKey, 'key'>[] {
    return this.#snapshot().keys.map((key) => ({ key }));
  }

  #fresh(): Freshness | undefined {
    const { freshness } = this.#snapshot();
    if (freshness !== undefined) this.#freshness ??= new Freshness(freshness);
    return this.#freshness;
  }
}
