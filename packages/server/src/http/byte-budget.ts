import { PelorusError } from '@pelorus/contract';

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

  constructor(kind: Kind, bytesMax: number) {
    this.#kind = kind;
    this.#small = { bytes: 0, bytesMax: bytesMax * SMALL_SHARE, owners: new Map() };
    this.#large = { bytes: 0, bytesMax: bytesMax * (1 - SMALL_SHARE), owners: new Map() };
  }

  /** The bytes of all that is under way. */
  get bytes(): number {
    return this.#small.bytes + this.#large.bytes;
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
  bytes: number;
  readonly bytesMax: number;
  /** Bytes that each owner has of it, without owners that have none. */
  readonly owners: Map<string, number>;
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
    const part = this.#partOf(bytes);
    const own = part === this.#part ? this.#bytes : 0;
    this.#require(bytes, part.bytes - own, part.bytesMax, 'other requests', 'all of them');
    if (this.#owner !== undefined) {
      const others = (part.owners.get(this.#owner) ?? 0) - own;
      this.#require(bytes, others, part.bytesMax * OWNER_SHARE, 'other requests with this key', 'those of one key');
    }
    this.#become(bytes, part);
  }

  /** Makes this the lease of `bytes`, whatever the others hold: of what cannot be refused any more. */
  take(bytes: number): void {
    this.#become(bytes, this.#partOf(bytes));
  }

  /** Gives back bytes above `bytes`, whatever the others hold. */
  shrink(bytes: number): void {
    this.#add(bytes - this.#bytes);
    this.#bytes = bytes;
  }

  /** Gives all bytes back. */
  release(): void {
    this.#add(-this.#bytes);
    this.#bytes = 0;
  }

  #partOf(bytes: number): Part {
    return bytes <= SMALL_BYTES_MAX ? this.#small : this.#large;
  }

  #become(bytes: number, part: Part): void {
    this.#add(-this.#bytes);
    this.#part = part;
    this.#bytes = bytes;
    this.#add(bytes);
  }

  #add(bytes: number): void {
    this.#part.bytes += bytes;
    if (this.#owner === undefined) return;
    const { owners } = this.#part;
    const sum = (owners.get(this.#owner) ?? 0) + bytes;
    if (sum === 0) owners.delete(this.#owner);
    else owners.set(this.#owner, sum);
  }

  #require(bytes: number, others: number, bytesMax: number, whose: string, together: string): void {
    if (others === 0 || others + bytes <= bytesMax) return;
    const { all, instead } = words[this.#kind];
    throw new PelorusError(
      'too_many_requests',
      `The ${all} of ${whose} hold ${others} bytes, and one of ${bytes} bytes would exceed the limit of ${bytesMax} bytes for ${together} together. Try your request again later, or ${instead}.`,
      { headers: { 'retry-after': '1' } },
    );
  }
}
