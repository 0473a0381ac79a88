import { type Claim, type Permit, Semaphore } from './semaphore.js';

/** The fetches of media of the whole process: so many at once, and so many of them from one host. */
export class Connections {
  readonly #all: Semaphore;
  readonly #hostMax: number;
  readonly #hosts = new Map<string, Semaphore>();

  constructor({ max, hostMax }: { readonly max: number; readonly hostMax: number }) {
    this.#all = new Semaphore(max);
    this.#hostMax = hostMax;
  }

  /**
   * Does `work` when there is room. A caller that waits for a host takes no room meanwhile.
   * @throws the reason of the claim's signal once it is aborted
   */
  async run<T>(host: string, claim: Claim, work: () => Promise<T>): Promise<T> {
    const known = this.#hosts.get(host);
    const ofHost = known ?? new Semaphore(this.#hostMax);
    if (known === undefined) this.#hosts.set(host, ofHost);
    const permits: Permit[] = [];
    try {
      permits.push(await ofHost.acquire(1, claim));
      permits.push(await this.#all.acquire(1, claim));
      return await work();
    } finally {
      for (const permit of permits) permit.release();
      if (ofHost.isIdle) this.#hosts.delete(host);
    }
  }
}
