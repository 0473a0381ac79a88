/** A number that requests add to and take from. */
export interface Counter {
  readonly value: number;
  /** Adds an amount, which may be negative. @returns the number before */
  add(amount: number): number;
}

/** A number for each owner, 0 for one that was never named. */
export interface OwnerCounters {
  /** As {@link Counter.add}, of the number of one owner. */
  add(owner: string, amount: number): number;
}

/** The parts of the bytes of bodies and answers. */
const PARTS = ['body.small', 'body.large', 'answer.small', 'answer.large'] as const;
/** Numbers behind the limits of requests. */
const NAMES = [...PARTS, 'search', 'add', 'update'] as const;

export type PartName = (typeof PARTS)[number];
export type CounterName = (typeof NAMES)[number];

/** All numbers behind the limits of a server. */
export interface Counters {
  counter(name: CounterName): Counter;
  owners(name: PartName): OwnerCounters;
}

/** The numbers of a server with one event loop. */
export class LocalCounters implements Counters {
  counter(): Counter {
    return new LocalCounter();
  }

  owners(): OwnerCounters {
    return new LocalOwners();
  }
}

export class LocalCounter implements Counter {
  #value = 0;

  get value(): number {
    return this.#value;
  }

  add(amount: number): number {
    const before = this.#value;
    this.#value += amount;
    return before;
  }
}

export class LocalOwners implements OwnerCounters {
  /** Without owners whose number is 0. */
  readonly #numbers = new Map<string, number>();

  add(owner: string, amount: number): number {
    const before = this.#numbers.get(owner) ?? 0;
    const sum = before + amount;
    if (sum === 0) this.#numbers.delete(owner);
    else this.#numbers.set(owner, sum);
    return before;
  }
}

/** The memory of {@link SharedCounters}, for each thread to make its own of. */
export interface CountersMemory {
  readonly numbers: SharedArrayBuffer;
  /** Most owners that have a number of their own. */
  readonly ownersMax: number;
}

/** Tells the place of an owner among all; undefined for one that has none. */
export type PlaceOf = (owner: string) => number | undefined;

/** The numbers that the event loops of a server have in common. */
export class SharedCounters implements Counters {
  readonly memory: CountersMemory;
  readonly #numbers: BigInt64Array<SharedArrayBuffer>;
  readonly #placeOf: PlaceOf;

  constructor(memory: CountersMemory, placeOf: PlaceOf) {
    this.memory = memory;
    this.#numbers = new BigInt64Array(memory.numbers);
    this.#placeOf = placeOf;
  }

  static memoryFor(ownersMax: number): CountersMemory {
    const length = NAMES.length + PARTS.length * ownersMax;
    return { numbers: new SharedArrayBuffer(length * BigInt64Array.BYTES_PER_ELEMENT), ownersMax };
  }

  counter(name: CounterName): Counter {
    return new SharedCounter(this.#numbers, NAMES.indexOf(name));
  }

  owners(name: PartName): OwnerCounters {
    const first = this.#firstOf(name);
    return {
      add: (owner, amount) => {
        const place = this.#placeOf(owner);
        // An owner without a place has no bound of its own; that of all of them holds.
        return place === undefined ? 0 : addTo(this.#numbers, first + place, amount);
      },
    };
  }

  /** Tells whether nothing is counted for the owner at a place, so that another may have it. */
  isFree(place: number): boolean {
    return PARTS.every((name) => Atomics.load(this.#numbers, this.#firstOf(name) + place) === 0n);
  }

  #firstOf(name: PartName): number {
    return NAMES.length + PARTS.indexOf(name) * this.memory.ownersMax;
  }
}

class SharedCounter implements Counter {
  readonly #numbers: BigInt64Array<SharedArrayBuffer>;
  readonly #at: number;

  constructor(numbers: BigInt64Array<SharedArrayBuffer>, at: number) {
    this.#numbers = numbers;
    this.#at = at;
  }

  get value(): number {
    return Number(Atomics.load(this.#numbers, this.#at));
  }

  add(amount: number): number {
    return addTo(this.#numbers, this.#at, amount);
  }
}

function addTo(numbers: BigInt64Array<SharedArrayBuffer>, at: number, amount: number): number {
  return Number(Atomics.add(numbers, at, BigInt(amount)));
}

/** The places of owners among the counters of all threads: each keeps its own, and leaves it once nothing counts there. */
export class OwnerPlaces {
  readonly #ownersMax: number;
  readonly #isFree: (place: number) => boolean;
  #places: ReadonlyMap<string, number> = new Map();

  constructor(ownersMax: number, isFree: (place: number) => boolean) {
    this.#ownersMax = ownersMax;
    this.#isFree = isFree;
  }

  /** The places once these are the owners. Those before them keep theirs for as long as something counts there. */
  of(owners: readonly string[]): ReadonlyMap<string, number> {
    const wanted = new Set(owners);
    const places = new Map([...this.#places].filter(([owner, place]) => wanted.has(owner) || !this.#isFree(place)));
    const taken = new Set(places.values());
    let next = 0;
    for (const owner of wanted) {
      if (places.has(owner)) continue;
      while (taken.has(next)) next += 1;
      if (next >= this.#ownersMax) break;
      places.set(owner, next);
      taken.add(next);
    }
    this.#places = places;
    return places;
  }
}
