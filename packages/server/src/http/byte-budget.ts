import { PelorusError } from '@pelorus/contract';

/** Bodies up to this size have a part of the budget that larger ones cannot take. */
const SMALL_BYTES_MAX = 64 * 1024;
/** Share of the budget that is kept for small bodies. */
const SMALL_SHARE = 1 / 4;

/** Bounds the bytes of all request bodies that are being read or worked on. */
export class BodyBudget {
  readonly #small: Pool;
  readonly #large: Pool;

  constructor(bytesMax: number) {
    this.#small = { bytes: 0, bytesMax: bytesMax * SMALL_SHARE };
    this.#large = { bytes: 0, bytesMax: bytesMax * (1 - SMALL_SHARE) };
  }

  /** The bytes of all bodies under way. */
  get bytes(): number {
    return this.#small.bytes + this.#large.bytes;
  }

  /** A lease of no bytes yet. Whoever asks for one must release it. */
  lease(): BodyLease {
    return new BodyLease(this.#small, this.#large);
  }
}

interface Pool {
  bytes: number;
  readonly bytesMax: number;
}

/** What one body takes of a {@link BodyBudget}. */
export class BodyLease {
  readonly #small: Pool;
  readonly #large: Pool;
  #pool: Pool;
  #bytes = 0;

  constructor(small: Pool, large: Pool) {
    this.#small = small;
    this.#large = large;
    this.#pool = small;
  }

  /**
   * Makes this the lease of `bytes`. A body that has its pool to itself always fits: the limit of its route bounds it.
   * @throws PelorusError `too_many_requests` when the other bodies leave too little; the lease is then what it was
   */
  resize(bytes: number): void {
    const pool = bytes <= SMALL_BYTES_MAX ? this.#small : this.#large;
    const others = pool.bytes - (pool === this.#pool ? this.#bytes : 0);
    if (others > 0 && others + bytes > pool.bytesMax) throw noRoom(bytes, others, pool.bytesMax);
    this.#pool.bytes -= this.#bytes;
    this.#pool = pool;
    this.#bytes = bytes;
    pool.bytes += bytes;
  }

  /** Gives all bytes back. */
  release(): void {
    this.#pool.bytes -= this.#bytes;
    this.#bytes = 0;
  }
}

function noRoom(bytes: number, others: number, bytesMax: number): PelorusError {
  return new PelorusError(
    'too_many_requests',
    `The bodies of other requests hold ${others} bytes, and a body of ${bytes} bytes would exceed the limit of ${bytesMax} bytes for all of them together. Try your request again later, or send smaller ones.`,
    { headers: { 'retry-after': '1' } },
  );
}
