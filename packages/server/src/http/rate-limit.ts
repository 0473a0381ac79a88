/** The rate at which something is let through. */
export interface Rate {
  /** At once, after a rest. */
  readonly burst: number;
  readonly perMinute: number;
}

/** Sources of which it is known how much they had. Beyond that, those seen longest ago begin anew. */
const SOURCES_MAX = 10_000;

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Counts the requests of each source, in token buckets. The memory for them is bounded. */
export class RateLimit {
  readonly #rate: Rate;
  readonly #now: () => number;
  /** In the order in which the sources were last seen. */
  readonly #buckets = new Map<string, Bucket>();

  /** @param now a clock that never goes back, in milliseconds */
  constructor(rate: Rate, now: () => number = () => performance.now()) {
    this.#rate = rate;
    this.#now = now;
  }

  /** Counts one more. @returns 0 where it is within the rate, else the seconds after which the next one will be */
  take(source: string): number {
    const { burst, perMinute } = this.#rate;
    const now = this.#now();
    const { tokens, atMs } = this.#buckets.get(source) ?? { tokens: burst, atMs: now };
    const filled = Math.min(burst, tokens + ((now - atMs) * perMinute) / 60_000);
    const isWithin = filled >= 1;
    this.#buckets.delete(source);
    this.#buckets.set(source, { tokens: isWithin ? filled - 1 : filled, atMs: now });
    if (this.#buckets.size > SOURCES_MAX) this.#buckets.delete(this.#buckets.keys().next().value as string);
    return isWithin ? 0 : Math.ceil(((1 - filled) * 60) / perMinute);
  }
}

/** By what a client is known here: its address, of IPv6 the network of 64 bits, of which one client has all. */
export function sourceOf(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':').filter((group) => group !== '');
  const rest = tail?.split(':').filter((group) => group !== '') ?? [];
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - groups.length - rest.length)).fill('0');
  return `${[...groups, ...zeros, ...rest].slice(0, 4).join(':')}::/64`;
}
