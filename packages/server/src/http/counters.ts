import { createHash } from 'node:crypto';
import { RequestFigures } from '../metrics/request-figures.js';

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

/** Calls that an event loop has answered since the server started: all, and those that count as searches. */
const ANSWERED = ['requests', 'searches'] as const;

export type AnsweredName = (typeof ANSWERED)[number];
export type Answered = { readonly [Name in AnsweredName]: number };

/** All numbers behind the limits of a server, and those that its event loops tell of themselves. */
export interface Counters {
  counter(name: CounterName): Counter;
  owners(name: PartName): OwnerCounters;
  /** The number of this event loop alone. */
  answered(name: AnsweredName): Counter;
  /** The numbers of each event loop; first those of the first. */
  allAnswered(): Answered[];
  /** Answered requests by operation, of which each event loop counts its own. */
  readonly requestFigures: RequestFigures;
}

/** The numbers of a server with one event loop. */
export class LocalCounters implements Counters {
  readonly requestFigures = new RequestFigures();
  readonly #answered = { requests: new LocalCounter(), searches: new LocalCounter() };
  readonly #counters = new Map<CounterName, LocalCounter>();

  counter(name: CounterName): Counter {
    const counter = this.#counters.get(name) ?? new LocalCounter();
    this.#counters.set(name, counter);
    return counter;
  }

  owners(): OwnerCounters {
    return new LocalOwners();
  }

  answered(name: AnsweredName): Counter {
    return this.#answered[name];
  }

  allAnswered(): Answered[] {
    const { requests, searches } = this.#answered;
    return [{ requests: requests.value, searches: searches.value }];
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
  /** As of {@link RequestFigures}. */
  readonly requests: SharedArrayBuffer;
  /** The event loops that count. */
  readonly loops: number;
}

/** Owners that have numbers of their own; a power of two. Those beyond share the numbers of others. */
const OWNERS_MAX = 2 ** 14;

/** Numbers of 64 bits in a line of the processor's caches: those of two event loops are never in one. */
const LINE = 8;

/** The place of each group of numbers in the memory of all. */
const PLACE = {
  limits: 0,
  answered: LINE,
  owners: (loops: number) => LINE + loops * LINE,
} as const;

/** The numbers that the event loops of a server have in common. */
export class SharedCounters implements Counters {
  readonly memory: CountersMemory;
  readonly requestFigures: RequestFigures;
  readonly #numbers: BigInt64Array<SharedArrayBuffer>;
  readonly #loop: number;
  readonly #places: OwnerPlaces;

  /** @param loop the event loop that counts by it; the first is 1 */
  constructor(memory: CountersMemory, loop: number) {
    this.memory = memory;
    this.requestFigures = new RequestFigures(memory.requests, loop);
    this.#numbers = new BigInt64Array(memory.numbers);
    this.#loop = loop;
    const owners = PLACE.owners(memory.loops);
    this.#places = new OwnerPlaces(this.#numbers.subarray(owners, owners + OWNERS_MAX));
  }

  static memoryFor(loops: number): CountersMemory {
    const length = PLACE.owners(loops) + (1 + PARTS.length) * OWNERS_MAX;
    const numbers = new SharedArrayBuffer(length * BigInt64Array.BYTES_PER_ELEMENT);
    return { numbers, requests: RequestFigures.memoryFor(loops), loops };
  }

  counter(name: CounterName): Counter {
    return new SharedCounter(this.#numbers, PLACE.limits + NAMES.indexOf(name));
  }

  owners(name: PartName): OwnerCounters {
    const first = PLACE.owners(this.memory.loops) + (1 + PARTS.indexOf(name)) * OWNERS_MAX;
    return { add: (owner, amount) => addTo(this.#numbers, first + this.#places.of(owner), amount) };
  }

  answered(name: AnsweredName): Counter {
    return this.#answeredBy(this.#loop, name);
  }

  allAnswered(): Answered[] {
    return Array.from({ length: this.memory.loops }, (_, at) => ({
      requests: this.#answeredBy(at + 1, 'requests').value,
      searches: this.#answeredBy(at + 1, 'searches').value,
    }));
  }

  #answeredBy(loop: number, name: AnsweredName): Counter {
    return new SharedCounter(this.#numbers, PLACE.answered + (loop - 1) * LINE + ANSWERED.indexOf(name));
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

/**
 * The places of owners among the numbers of all threads: a table of their digests, which each thread fills as it meets
 * them, and in which an owner keeps its place for as long as the server runs.
 */
export class OwnerPlaces {
  readonly #digests: BigInt64Array<SharedArrayBuffer>;
  /** Those that this thread has met. */
  readonly #known = new Map<string, number>();

  /** @param digests 0 where there is none; as many as a power of two */
  constructor(digests: BigInt64Array<SharedArrayBuffer>) {
    this.#digests = digests;
  }

  of(owner: string): number {
    const known = this.#known.get(owner);
    if (known !== undefined) return known;
    const place = this.#find(owner);
    if (this.#known.size >= this.#digests.length) this.#known.clear();
    this.#known.set(owner, place);
    return place;
  }

  /** The place with the digest of an owner, be it taken only now; where all are others', it shares one. */
  #find(owner: string): number {
    const { length } = this.#digests;
    const digest = createHash('sha256').update(owner).digest().readBigInt64LE() || 1n;
    const first = Number(BigInt.asUintN(32, digest)) & (length - 1);
    for (let step = 0; step < length; step += 1) {
      const place = (first + step) & (length - 1);
      const found = Atomics.compareExchange(this.#digests, place, 0n, digest);
      if (found === 0n || found === digest) return place;
    }
    return first;
  }
}
