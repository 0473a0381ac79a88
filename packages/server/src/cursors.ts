import { randomUUID } from 'node:crypto';
import { PelorusError } from '@pelorus/contract';
import type { DocumentScan } from '@pelorus/engine';
import { truncated } from '../validation/excerpt.js';

interface HeldScan {
  readonly index: string;
  readonly scan: DocumentScan;
  readonly timer: NodeJS.Timeout;
}

/** Where a scan goes on. */
export interface ScanPosition {
  readonly scan: DocumentScan;
  readonly start: number;
}

/** A cursor is the id of a scan and the place in it where the next page starts. */
const CURSOR = /^([0-9a-f-]{36})\.(\d{1,10})$/;

/** Scans that clients are in the middle of, by their ids. Each is held until nobody has asked for a page for a while. */
export class Scans {
  readonly #held = new Map<string, HeldScan>();
  readonly #countMax: number;
  readonly #idleMs: number;

  constructor(countMax: number, idleMs: number) {
    this.#countMax = countMax;
    this.#idleMs = idleMs;
  }

  /**
   * Whether one more scan can be held.
   * @throws PelorusError `too_many_requests`
   */
  requireRoom(): void {
    if (this.#held.size < this.#countMax) return;
    throw new PelorusError(
      'too_many_requests',
      `There are ${this.#countMax} scans that were begun and not read to their end, which is the limit. One that nobody asks for a page is given up after ${this.#idleMs / 1000} s`,
      { headers: { 'retry-after': '5' } },
    );
  }

  /** Holds a scan; gives its id. */
  hold(index: string, scan: DocumentScan): string {
    const id = randomUUID();
    const timer = setTimeout(() => this.end(id), this.#idleMs).unref();
    this.#held.set(id, { index, scan, timer });
    return id;
  }

  /** The cursor of the page that starts at `start`. */
  cursorOf(id: string, start: number): string {
    return `${id}.${start}`;
  }

  /**
   * Where a cursor of this index leads.
   * @throws PelorusError `invalid_argument`
   */
  find(index: string, cursor: string): ScanPosition & { id: string } {
    const [, id = '', start = ''] = CURSOR.exec(cursor) ?? [];
    const held = this.#held.get(id);
    if (held === undefined || held.index !== index) {
      throw new PelorusError(
        'invalid_argument',
        `There is no scan of index ${index} with the cursor '${truncated(cursor)}'. It was read to its end, or nobody asked for a page for ${this.#idleMs / 1000} s, or the server was started anew: begin again without a cursor`,
      );
    }
    held.timer.refresh();
    return { id, scan: held.scan, start: Number(start) };
  }

  end(id: string): void {
    const held = this.#held.get(id);
    if (held === undefined) return;
    clearTimeout(held.timer);
    held.scan.close();
    this.#held.delete(id);
  }

  /** Ends all scans of an index that is going to be deleted. */
  endOf(index: string): void {
    for (const [id, held] of this.#held) if (held.index === index) this.end(id);
  }

  close(): void {
    for (const id of this.#held.keys()) this.end(id);
  }
}
