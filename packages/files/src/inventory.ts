import { access, mkdir, readdir, rename } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { removeUnfinished } from './durable-file.js';
import {
  DamagedFileError,
  type Generations,
  neverOlder,
  readSealed,
  type SealedForm,
  writeSealed,
} from './sealed-file.js';

/** Entries by their ids, with their names for people. */
type Entries = Readonly<Record<string, string>>;

/** Kind of the entries that say of which generation a file is at least. */
const GENERATION = 'generation';

/** The suffix of a list that could not be used, and was made anew. */
const ASIDE = '.damaged';

/** A list as it was read. */
interface Found {
  /** Undefined where there are none that can be used. */
  readonly entries: Entries | undefined;
  readonly fault: string | null;
  /** The reason that the list there is cannot be used; null of one that can be, or is not there. */
  readonly damage: string | null;
}

const form: SealedForm<Entries> = {
  name: 'inventory',
  isValue: (value): value is Entries =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((one) => typeof one === 'string'),
  fromOlder: neverOlder,
};

/**
 * A sealed list of entries that must be there, which lies apart from all that it names: an entry that is gone with all
 * its copies, a folder for one, is told from one that never was. Whoever makes something adds it once it is durable,
 * and whoever removes something drops it once nothing depends on it: a crash in between leaves a thing that is not
 * listed, which its owner adds at the next start, never a loss that is none.
 */
export class Inventory implements Generations {
  readonly #path: string;
  #entries: Entries;
  #isThere: boolean;
  #fault: string | null;
  /** Tells whether the list is as it was read or written since this process alone has it. */
  #isOwn = false;
  readonly #tell: (reason: string) => void;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(path: string, { entries, fault }: Found, tell: (reason: string) => void) {
    this.#path = path;
    this.#entries = entries ?? {};
    this.#isThere = entries !== undefined;
    this.#fault = fault;
    this.#tell = tell;
  }

  /**
   * Reads the list, and changes nothing: another process may still have it. One that is gone begins empty, which is told,
   * since what was lost until then is not known.
   */
  static async open(path: string, tell: (reason: string) => void): Promise<Inventory> {
    const found = await find(path);
    const others = found.entries === undefined ? await readdir(dirname(path)).catch(() => []) : [];
    // One that is damaged is told as it is set aside.
    if (found.damage === null && found.fault !== null) tell(found.fault);
    else if (found.damage === null && others.length > 0) {
      tell(`${basename(path)} is not there beside ${others.join(', ')}: it is begun with what is found`);
    }
    return new Inventory(path, found, tell);
  }

  /**
   * The reason that things may be lost which nothing tells of any more; null where there is none. It stays from start to
   * start, as long as the list that could not be used is kept.
   */
  get fault(): string | null {
    return this.#fault;
  }

  /** The fault, for the health of a service. */
  get problems(): readonly { readonly status: 'red'; readonly reason: string }[] {
    return this.#fault === null ? [] : [{ status: 'red', reason: this.#fault }];
  }

  /**
   * Reads the list again, and writes it where there is none yet, in a folder that is made if it is not there; one that
   * cannot be used is set aside, which is told. From then on no other process may have it open: where a lock guards its
   * folder, the caller has it.
   */
  async begin(): Promise<void> {
    await this.#inTurn(async () => {
      await mkdir(dirname(this.#path), { recursive: true });
      await removeUnfinished(this.#path).catch(() => undefined);
      await this.#own();
    });
    if (!this.#isThere) await this.#change((entries) => entries);
  }

  has(entry: string): boolean {
    return Object.hasOwn(this.#entries, entry);
  }

  /** Lists the entries of a kind, `kind/id` each, as ids with their names. */
  of(kind: string): ReadonlyMap<string, string> {
    const start = `${kind}/`;
    const found = Object.entries(this.#entries).filter(([entry]) => entry.startsWith(start));
    return new Map(found.map(([entry, title]) => [entry.slice(start.length), title]));
  }

  /** Adds an entry that is there, durably. An entry that says the same already costs nothing. */
  async add(entry: string, title = ''): Promise<void> {
    if (this.#entries[entry] === title && this.has(entry)) return;
    await this.#change((entries) => ({ ...entries, [entry]: title }));
  }

  /** Drops an entry that is no longer to be there, durably. */
  async drop(entry: string): Promise<void> {
    if (!this.has(entry)) return;
    await this.#change((entries) => Object.fromEntries(Object.entries(entries).filter(([one]) => one !== entry)));
  }

  least(name: string): number {
    return Number(this.#entries[`${GENERATION}/${name}`] ?? 0);
  }

  async raise(name: string, generation: number): Promise<void> {
    if (generation > this.least(name)) await this.add(`${GENERATION}/${name}`, String(generation));
  }

  /** Forgets the generations of files whose names begin so, which are no longer to be there. */
  async forget(start: string): Promise<void> {
    const isOne = (entry: string) => entry.startsWith(`${GENERATION}/${start}`);
    if (!Object.keys(this.#entries).some(isOne)) return;
    await this.#change((entries) => Object.fromEntries(Object.entries(entries).filter(([one]) => !isOne(one))));
  }

  #change(next: (entries: Entries) => Entries): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#isOwn) await this.#own();
      const entries = next(this.#entries);
      await writeSealed(this.#path, entries, form);
      this.#entries = entries;
      this.#isThere = true;
    });
  }

  /** Takes the list as it is now: what was read before may be older than the last change of another process. */
  async #own(): Promise<void> {
    const { entries, fault, damage } = await find(this.#path);
    if (damage !== null) {
      this.#tell(`${damage}; it is kept as ${this.#path}${ASIDE}, and begun anew with what is found`);
      await rename(this.#path, this.#path + ASIDE).catch(() => undefined);
    }
    this.#entries = entries ?? {};
    this.#isThere = entries !== undefined;
    this.#fault = fault;
    this.#isOwn = true;
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}

/** Reads a list. */
async function find(path: string): Promise<Found> {
  try {
    const entries = await readSealed(path, form);
    const isKept = await access(path + ASIDE).then(
      () => true,
      () => false,
    );
    return { entries, fault: isKept ? unknownLosses(path) : null, damage: null };
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
    return { entries: undefined, fault: unknownLosses(path), damage: error.message };
  }
}

function unknownLosses(path: string): string {
  return `${basename(path)} could not be read once, so that things may be lost that nothing tells of any more: remove ${basename(path)}${ASIDE} once nothing is missed`;
}
