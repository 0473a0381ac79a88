import { randomUUID } from 'node:crypto';
import { PelorusError, truncated } from '@pelorus/contract';
import type { DocumentScan } from '@pelorus/engine';
import type { RankedPages } from './ranked-pages.js';

/** The states of an index that are read page by page. */
interface Readings {
  readonly scan: DocumentScan;
  readonly search: RankedPages;
}

type Kind = keyof Readings;

interface Held<Of extends Kind = Kind> {
  readonly kind: Of;
  readonly index: string;
  readonly reading: Readings[Of];
  readonly bytes: number;
  /** Ends it when nobody asks for a page, ... */
  readonly idle: NodeJS.Timeout;
  /** ... and however often somebody does. */
  readonly age: NodeJS.Timeout;
}

/** The place where a reading goes on. */
export interface Position<Of extends Kind> {
  readonly id: string;
  readonly reading: Readings[Of];
  readonly start: number;
}

/** The bounds of all that is held. */
export interface CursorLimits {
  readonly countMax: Readonly<Record<Kind, number>>;
  /** Most memory of all together. */
  readonly bytesMax: number;
  /** Time for which one is held that nobody asks for a page. */
  readonly idleMs: number;
  /** Longest time for which one is held. */
  readonly ageMs: number;
}

/** Most ids of readings that are known to have been held for too long. */
const TOO_OLD_MAX = 1000;

/** A cursor is the id of a reading and the place in it where the next page starts. */
const CURSOR = /^([0-9a-f-]{36})\.(\d{1,9})$/;

const PLURAL = { scan: 'scans', search: 'searches' } as const;

/**
 * The readings that clients have begun, by ids. Each keeps a state of its index, in which documents replaced meanwhile
 * take room, until nobody has asked for a page for a while, or it is too old. The engine ends those for which it holds
 * back too much of the disk.
 */
export class Cursors {
  readonly #held = new Map<string, Held>();
  /** Ids of readings that were held for too long, in the order in which they ended. */
  readonly #tooOld = new Set<string>();
  readonly #limits: CursorLimits;

  constructor(limits: CursorLimits) {
    this.#limits = limits;
  }

  /**
   * Refuses a reading for which there is no room.
   * @throws PelorusError `too_many_requests`
   */
  requireRoom(kind: Kind): void {
    const { bytesMax, idleMs } = this.#limits;
    const countMax = this.#limits.countMax[kind];
    const held = [...this.#held.values()];
    const bytes = held.reduce((sum, one) => sum + one.bytes, 0);
    const refuse = (limit: string): never => {
      throw new PelorusError(
        'too_many_requests',
        `There are ${limit}, which is the limit. One that nobody asks for a page is given up after ${idleMs / 1000} s`,
        { headers: { 'retry-after': '5' } },
      );
    };
    if (held.filter((one) => one.kind === kind).length >= countMax) {
      refuse(`${countMax} ${PLURAL[kind]} that were begun and not read to their end`);
    }
    if (bytes >= bytesMax) {
      refuse(`${held.length} scans and searches that were begun and not read to their end, of ${bytes} bytes`);
    }
  }

  /**
   * Holds a reading that takes so many bytes; gives its id.
   * @throws PelorusError `too_many_requests`, and then it is closed
   */
  hold<Of extends Kind>(kind: Of, index: string, reading: Readings[Of], bytes = 0): string {
    try {
      this.requireRoom(kind);
    } catch (error) {
      reading.close();
      throw error;
    }
    const id = randomUUID();
    const { idleMs, ageMs } = this.#limits;
    const idle = setTimeout(() => this.end(id), idleMs).unref();
    const age = setTimeout(() => this.#endOld(id), ageMs).unref();
    this.#held.set(id, { kind, index, reading, bytes, idle, age });
    return id;
  }

  #endOld(id: string): void {
    this.end(id);
    this.#tooOld.add(id);
    const [first] = this.#tooOld;
    if (this.#tooOld.size > TOO_OLD_MAX && first !== undefined) this.#tooOld.delete(first);
  }

  /** The cursor of the page that starts at `start`. */
  cursorOf(id: string, start: number): string {
    return `${id}.${start}`;
  }

  /**
   * The place to which a cursor of this kind and index leads.
   * @throws PelorusError `invalid_argument`, and `snapshot_too_old` where it was held for too long
   */
  find<Of extends Kind>(kind: Of, index: string, cursor: string): Position<Of> {
    const [, id = '', start = ''] = CURSOR.exec(cursor) ?? [];
    const held = this.#held.get(id);
    if (this.#tooOld.has(id)) {
      throw new PelorusError(
        'snapshot_too_old',
        `This ${kind} was begun more than ${this.#limits.ageMs / 60_000} minutes ago, and what it shows is held for no longer: begin again without a cursor, and read faster or less`,
      );
    }
    if (held === undefined || held.kind !== kind || held.index !== index) {
      throw new PelorusError(
        'invalid_argument',
        `There is no ${kind} of index ${index} with the cursor '${truncated(cursor)}'. It was read to its end, or nobody asked for a page for ${this.#limits.idleMs / 1000} s, or the server was started anew: begin again without a cursor`,
      );
    }
    held.idle.refresh();
    return { id, reading: held.reading as Readings[Of], start: Number(start) };
  }

  end(id: string): void {
    const held = this.#held.get(id);
    if (held === undefined) return;
    clearTimeout(held.idle);
    clearTimeout(held.age);
    held.reading.close();
    this.#held.delete(id);
  }

  /** Ends all of an index that is going to be deleted. */
  endOf(index: string): void {
    for (const [id, held] of this.#held) if (held.index === index) this.end(id);
  }

  close(): void {
    for (const id of this.#held.keys()) this.end(id);
  }
}
