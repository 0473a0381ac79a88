import { randomUUID } from 'node:crypto';
import { PelorusError, truncated } from '@pelorus/contract';
import type { DocumentScan, ShareableReading, ShareableScan, Wait } from '@pelorus/engine';
import type { RankedPages } from './ranked-pages.js';

/** The states of an index that are read page by page. */
interface Readings {
  readonly scan: DocumentScan;
  readonly search: RankedPages;
}

type Kind = keyof Readings;

/** The documents that a call of a reading asks for. */
export interface AskedDocuments {
  /** The name by which its index was called, its own or an alias: those of later pages call it so too. */
  readonly calledAs: string;
  /** The filter that the caller is bound to; null for none. */
  readonly within: string | null;
}

/** The documents that a reading was begun of. */
export interface ReadDocuments extends AskedDocuments {
  readonly index: string;
}

interface Held<Of extends Kind = Kind> extends ReadDocuments {
  readonly kind: Of;
  readonly reading: Readings[Of];
  readonly bytes: number;
  /** Tells that other servers know of it. */
  readonly isShared: boolean;
  /** Ends it when nobody asks for a page, ... */
  readonly idle: NodeJS.Timeout;
  /** ... and however often somebody does. */
  readonly age: NodeJS.Timeout;
}

/** A reading as other servers find it. */
interface KeptReading extends Pick<ReadDocuments, 'index' | 'within'> {
  readonly kind: Kind;
  /** Milliseconds of the epoch. */
  readonly begunAtMs: number;
  /** All that they need to go on. */
  readonly shared: unknown;
}

/** The readings of all servers of the same indexes. */
export interface SharedCursors {
  keep(id: string, kept: KeptReading, ageMs: number): Promise<void>;
  find(id: string): Promise<unknown>;
  forget(id: string): Promise<void>;
  /** Goes on with readings of each kind; undefined where one was of another index of that name. */
  readonly resume: {
    readonly [Of in Kind]: (index: string, shared: unknown, wait?: Wait) => Promise<Readings[Of] | undefined>;
  };
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

/**
 * A cursor is the id of a reading and the number of documents or hits before the next page; of a scan that other servers
 * read as well, the place of that page in the state of the index follows.
 */
const CURSOR = /^([0-9a-f-]{36})\.(\d{1,9})(?:\.(\d{1,19}))?$/;

const PLURAL = { scan: 'scans', search: 'searches' } as const;

/**
 * The readings that clients have begun, by ids. Each keeps a state of its index, in which documents replaced meanwhile
 * take room, until nobody has asked for a page for a while, or it is too old. The engine ends those for which it holds
 * back too much of the disk.
 *
 * Where other servers have the same indexes, each of them goes on with a reading from its record, and holds it from then on.
 */
export class Cursors {
  readonly #held = new Map<string, Held>();
  /** Ids of readings that were held for too long, in the order in which they ended. */
  readonly #tooOld = new Set<string>();
  readonly #limits: CursorLimits;

  readonly #shared: SharedCursors | undefined;

  /** @param shared the readings of other servers; none when absent */
  constructor(limits: CursorLimits, shared?: SharedCursors) {
    this.#limits = limits;
    this.#shared = shared;
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
  hold<Of extends Kind>(kind: Of, of: ReadDocuments, reading: Readings[Of], bytes = 0): string {
    try {
      this.requireRoom(kind);
    } catch (error) {
      reading.close();
      throw error;
    }
    const id = randomUUID();
    this.#hold(id, { kind, ...of, reading, bytes, isShared: false }, this.#limits.ageMs);
    return id;
  }

  #hold(id: string, reading: Omit<Held, 'idle' | 'age'>, ageMs: number): void {
    const idle = setTimeout(() => this.#letGo(id), this.#limits.idleMs).unref();
    const age = setTimeout(() => this.#endOld(id), ageMs).unref();
    this.#held.set(id, { ...reading, idle, age });
  }

  /**
   * Lets other servers go on with a reading, where there are any: before its first cursor is answered.
   * @throws EngineError, and then the reading is ended
   */
  async share(id: string): Promise<void> {
    const held = this.#held.get(id);
    if (this.#shared === undefined || held === undefined || !isShareable(held.reading)) return;
    const { kind, index, within, reading } = held;
    this.#held.set(id, { ...held, isShared: true });
    try {
      const kept = { kind, index, within, begunAtMs: Date.now(), shared: reading.share() };
      await this.#shared.keep(id, kept, this.#limits.ageMs);
    } catch (error) {
      this.end(id);
      throw error;
    }
  }

  #endOld(id: string): void {
    this.end(id);
    this.#noteOld(id);
  }

  #noteOld(id: string): void {
    this.#tooOld.add(id);
    const [first] = this.#tooOld;
    if (this.#tooOld.size > TOO_OLD_MAX && first !== undefined) this.#tooOld.delete(first);
  }

  /** The cursor of the page that starts at `start`. */
  cursorOf(id: string, start: number): string {
    const reading = this.#held.get(id)?.reading;
    const place = reading !== undefined && this.#shared !== undefined && isShareableScan(reading);
    return place ? `${id}.${start}.${reading.placeOf(start)}` : `${id}.${start}`;
  }

  /**
   * The place to which a cursor of this kind and these documents leads, be it of a reading that another server has begun.
   * @throws PelorusError as {@link find}, and `too_many_requests`
   */
  async reach<Of extends Kind>(kind: Of, asked: AskedDocuments, cursor: string, wait?: Wait): Promise<Position<Of>> {
    const [, id = '', , place] = CURSOR.exec(cursor) ?? [];
    if (this.#shared !== undefined && id !== '' && !this.#held.has(id)) await this.#resume(kind, asked, id, wait);
    const position = this.find(kind, asked, cursor);
    if (place !== undefined && isShareableScan(position.reading)) position.reading.goOnAt(position.start, place);
    return position;
  }

  /** Holds a reading that another server has begun, where there is one. */
  async #resume(kind: Kind, asked: AskedDocuments, id: string, wait: Wait | undefined): Promise<void> {
    const kept = (await this.#shared?.find(id)) as KeptReading | undefined;
    // Records of servers before there were filters say none.
    if (kept === undefined || kept.kind !== kind || (kept.within ?? null) !== asked.within) return;
    const { index } = kept;
    if (index !== asked.calledAs) return;
    const ageMs = this.#limits.ageMs - (Date.now() - kept.begunAtMs);
    if (ageMs <= 0) return this.#noteOld(id);
    this.requireRoom(kind);
    const reading = await this.#shared?.resume[kind](index, kept.shared, wait);
    // Another call may have come first.
    if (reading === undefined || this.#held.has(id)) return reading?.close();
    const bytes = 'memoryBytes' in reading ? reading.memoryBytes : 0;
    this.#hold(id, { kind, index, ...asked, reading, bytes, isShared: true }, ageMs);
  }

  /**
   * The place to which a cursor of this kind and these documents leads, where the reading is held here.
   * @throws PelorusError `invalid_argument`, and `snapshot_too_old` where it was held for too long
   */
  find<Of extends Kind>(kind: Of, { calledAs, within }: AskedDocuments, cursor: string): Position<Of> {
    const [, id = '', start = ''] = CURSOR.exec(cursor) ?? [];
    const held = this.#held.get(id);
    if (this.#tooOld.has(id)) {
      throw new PelorusError(
        'snapshot_too_old',
        `This ${kind} was begun more than ${this.#limits.ageMs / 60_000} minutes ago, and what it shows is held for no longer: begin again without a cursor, and read faster or less`,
      );
    }
    if (held === undefined || held.kind !== kind || held.calledAs !== calledAs || held.within !== within) {
      throw new PelorusError(
        'invalid_argument',
        `There is no ${kind} of index ${calledAs} with the cursor '${truncated(cursor)}'. It was read to its end, or nobody asked for a page for ${this.#limits.idleMs / 1000} s, or the server was started anew: begin again without a cursor`,
      );
    }
    held.idle.refresh();
    return { id, reading: held.reading as Readings[Of], start: Number(start) };
  }

  /** Tells whether a reading is held here, and so not ended. */
  holds(id: string): boolean {
    return this.#held.has(id);
  }

  /** Ends a reading, for all servers. */
  end(id: string): void {
    const held = this.#held.get(id);
    this.#letGo(id);
    if (held === undefined || !held.isShared || !isShareable(held.reading)) return;
    held.reading.end();
    // A record that stays leads to a state that nobody has any more, and is removed by its age.
    this.#shared?.forget(id).catch(() => undefined);
  }

  /** Holds a reading no longer; other servers go on with one that they know of. */
  #letGo(id: string): void {
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
    for (const id of this.#held.keys()) this.#letGo(id);
  }
}

function isShareable(reading: Readings[Kind]): reading is Readings[Kind] & ShareableReading {
  return 'share' in reading && reading.share !== undefined;
}

function isShareableScan(reading: Readings[Kind]): reading is ShareableScan {
  return 'placeOf' in reading;
}
