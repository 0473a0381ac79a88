import { PelorusError } from '@pelorus/contract';
import { type Counter, type Counters, LocalCounters, type OwnerCounters } from './counters.js';

/** Largest size of a request that has a part of the budget which larger ones cannot take. */
const SMALL_BYTES_MAX = 64 * 1024;
/** Share of the budget that is kept for small requests. */
const SMALL_SHARE = 1 / 4;
/** Share of either part that one owner may have: the rest is for all others. */
const OWNER_SHARE = 3 / 4;

/** The kinds of bytes that a {@link ByteBudget} bounds, by their names in refusals. */
type Kind = 'body' | 'answer';

const words = {
  body: { all: 'bodies', instead: 'send smaller ones' },
  answer: { all: 'answers', instead: 'ask for less' },
} as const satisfies Record<Kind, unknown>;

/** Bounds the bytes of all request bodies, or of all answers, that are under way. */
export class ByteBudget {
  readonly #kind: Kind;
  readonly #small: Part;
  readonly #large: Part;

  /** @param counters of the bytes, one for all event loops */
  constructor(kind: Kind, bytesMax: number, counters: Counters = new LocalCounters()) {
    const partOf = (name: 'small' | 'large', share: number): Part => ({
      bytes: counters.counter(`${kind}.${name}`),
      bytesMax: bytesMax * share,
      owners: counters.owners(`${kind}.${name}`),
    });
    this.#kind = kind;
    this.#small = partOf('small', SMALL_SHARE);
    this.#large = partOf('large', 1 - SMALL_SHARE);
  }

  /** The bytes of all that is under way. */
  get bytes(): number {
    return this.#small.bytes.value + this.#large.bytes.value;
  }

  /**
   * A lease of no bytes yet. Whoever asks for one must release it.
   * @param owner the key whose requests share a bound of their own; none where absent
   */
  lease(owner?: string): ByteLease {
    return new ByteLease(this.#kind, this.#small, this.#large, owner);
  }
}

interface Part {
  readonly bytes: Counter;
  readonly bytesMax: number;
  /** Bytes that each owner has of it. */
  readonly owners: OwnerCounters;
}

/** The share of one body or answer in a {@link ByteBudget}. */
export class ByteLease {
  readonly #kind: Kind;
  readonly #small: Part;
  readonly #large: Part;
  readonly #owner: string | undefined;
  #part: Part;
  #bytes = 0;

  constructor(kind: Kind, small: Part, large: Part, owner: string | undefined) {
    this.#kind = kind;
    this.#small = small;
    this.#large = large;
    this.#owner = owner;
    this.#part = small;
  }

  /**
   * Makes this the lease of `bytes`. A lease that has its part, and its owner's share of it, to itself always fits:
   * another limit bounds it.
   * @throws PelorusError `too_many_requests` when the others leave too little; the lease is then what it was
   */
  resize(bytes: number): void {
    const wanted = Math.ceil(bytes);
    const part = this.#partOf(wanted);
    const own = part === this.#part ? this.#bytes : 0;
    // Taken before it is looked at: other event loops take at the same time.
    const before = this.#add(part, wanted - own);
    try {
      this.#require(wanted, before.all - own, part.bytesMax, 'other requests', 'all of them');
      this.#require(
        wanted,
        before.ofOwner - own,
        part.bytesMax * OWNER_SHARE,
        'other requests with this key',
        'those of one key',
      );
    } catch (error) {
      this.#add(part, own - wanted);
      throw error;
    }
    if (part !== this.#part) this.#add(this.#part, -this.#bytes);
    this.#part = part;
    this.#bytes = wanted;
  }

  /** Makes this the lease of `bytes`, whatever the others hold: of what cannot be refused any more. */
  take(bytes: number): void {
    const part = this.#partOf(bytes);
    this.release();
    this.#part = part;
    this.#bytes = Math.ceil(bytes);
    this.#add(part, this.#bytes);
  }

  /** Gives back bytes above `bytes`, whatever the others hold. */
  shrink(bytes: number): void {
    const kept = Math.ceil(bytes);
    this.#add(this.#part, kept - this.#bytes);
    this.#bytes = kept;
  }

  /** Gives all bytes back. */
  release(): void {
    if (this.#bytes !== 0) this.#add(this.#part, -this.#bytes);
    this.#bytes = 0;
  }

  #partOf(bytes: number): Part {
    return bytes <= SMALL_BYTES_MAX ? this.#small : this.#large;
  }

  /** @returns the bytes of all, and those of the owner, before */
  #add(part: Part, bytes: number): { all: number; ofOwner: number } {
    const all = part.bytes.add(bytes);
    // Without an owner there is no share to keep to.
    return { all, ofOwner: this.#owner === undefined ? 0 : part.owners.add(this.#owner, bytes) };
  }

  #require(bytes: number, others: number, bytesMax: number, whose: string, together: string): void {
    if (others <= 0 || others + bytes <= bytesMax) return;
    const { all, instead } = words[this.#kind];
    throw new PelorusError(
      'too_many_requests',
      `The ${all} of ${whose} hold ${others} bytes, and one of ${bytes} bytes would exceed the limit of ${bytesMax} bytes for ${together} together. Try your request again later, or ${instead}.`,
      { headers: { 'retry-after': '1' } },
    );
  }
}
