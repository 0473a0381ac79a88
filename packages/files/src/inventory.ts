import { randomUUID } from 'node:crypto';
import { access, lstat, mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { removeUnfinished } from './durable-file.js';
import { withBriefFileLock } from './file-lock.js';
import {
  type Generated,
  type Generations,
  neverOlder,
  readGenerated,
  type SealedForm,
  writeSealed,
} from './sealed-file.js';

/** Entries by their ids, with their names for people. */
type Entries = Readonly<Record<string, string>>;

/** Kind of the entries that say of which generation a file is at least. */
const GENERATION = 'generation';

/** The suffix of what tells that the list was made anew: the one that could not be used, or a word that it was gone. */
const ASIDE = '.damaged';

/** Names beside the list of what services keep: where one of them is there, there was a list. */
const KEPT = ['damaged', 'ecommerce', 'events', 'format', 'hosted', 'indexes', 'keys', 'keys.json'];

/** A list as it was read. */
interface Found {
  /** The latest of the copies; undefined where none can be used. */
  readonly list: Generated<Entries> | undefined;
  /** The reason that nobody knows what was there; null where it is known. */
  readonly fault: string | null;
  /** The reason that there is no list, though there was one; null where there is one, or never was. */
  readonly loss: string | null;
  /** The copies that are to be written anew, each with its reason. */
  readonly repairs: readonly string[];
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
 *
 * The list is kept three times and numbers its changes: the latest copy counts. Only where all copies and what they name are
 * lost, damaged or put back at once does nobody notice. Several processes may change it, one at a time; {@link begin} is for
 * the one that owns what it names.
 */
export class Inventory implements Generations {
  readonly #path: string;
  #list: Generated<Entries>;
  #fault: string | null;
  /** Tells whether this process has what the list names: what it knows counts then, whatever becomes of the copies. */
  #isOwn = false;
  readonly #tell: (reason: string) => void;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(path: string, { list, fault }: Found, tell: (reason: string) => void) {
    this.#path = path;
    this.#list = list ?? NONE;
    this.#fault = fault;
    this.#tell = tell;
  }

  /** Reads the list, and changes nothing: another process may still have it. */
  static async open(path: string, tell: (reason: string) => void): Promise<Inventory> {
    const found = await find(path);
    // A loss is told as the list is begun anew.
    if (found.loss === null && found.fault !== null) tell(found.fault);
    return new Inventory(path, found, tell);
  }

  /**
   * The reason that things may be lost which nothing tells of any more; null where there is none. It stays from start to
   * start, as long as the file is kept that tells of it.
   */
  get fault(): string | null {
    return this.#fault;
  }

  /** The fault, for the health of a service. */
  get problems(): readonly { readonly status: 'red'; readonly reason: string }[] {
    return this.#fault === null ? [] : [{ status: 'red', reason: this.#fault }];
  }

  /**
   * Writes the list where there is none yet, and nothing that it could name: to be called before the first of that is made,
   * so that a crash in between does not look like a loss of the list.
   */
  async create(): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    await this.#exclusively(async () => {
      const { list, fault } = await find(this.#path);
      if (list === undefined && fault === null) await this.#write({ value: {}, generation: 1 });
    });
  }

  /**
   * Reads the list again, and writes it where a copy is missing, in a folder that is made if it is not there; a list that
   * is lost is begun anew, which is told, and what is left of it set aside. From then on no other process may begin it:
   * where a lock guards its folder, the caller has it.
   */
  async begin(): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    await this.#exclusively(async () => {
      for (const path of copiesOf(this.#path)) await removeUnfinished(path).catch(() => undefined);
      const { list, fault, loss, repairs } = await find(this.#path);
      if (loss !== null) await this.#setAside(loss);
      for (const reason of repairs) this.#tell(`${reason}; it is written anew`);
      this.#fault = fault;
      this.#isOwn = true;
      this.#list = list ?? NONE;
      if (list === undefined || list.generation === 0 || repairs.length > 0) await this.#write(next(this.#list));
    });
  }

  has(entry: string): boolean {
    return Object.hasOwn(this.#list.value, entry);
  }

  /** Lists the entries of a kind, `kind/id` each, as ids with their names. */
  of(kind: string): ReadonlyMap<string, string> {
    const start = `${kind}/`;
    const found = Object.entries(this.#list.value).filter(([entry]) => entry.startsWith(start));
    return new Map(found.map(([entry, title]) => [entry.slice(start.length), title]));
  }

  /** Adds an entry that is there, durably. An entry that says the same already costs nothing. */
  async add(entry: string, title = ''): Promise<void> {
    if (this.#list.value[entry] === title && this.has(entry)) return;
    await this.#change((entries) => ({ ...entries, [entry]: title }));
  }

  /** Drops an entry that is no longer to be there, durably. */
  async drop(entry: string): Promise<void> {
    if (!this.has(entry)) return;
    await this.#change((entries) => Object.fromEntries(Object.entries(entries).filter(([one]) => one !== entry)));
  }

  least(name: string): number {
    return leastOf(this.#list.value, name);
  }

  async raise(name: string, generation: number): Promise<void> {
    if (generation <= this.least(name)) return;
    await this.#change((entries) =>
      generation > leastOf(entries, name) ? { ...entries, [`${GENERATION}/${name}`]: String(generation) } : entries,
    );
  }

  /** Forgets the generations of files whose names begin so, which are no longer to be there. */
  async forget(start: string): Promise<void> {
    const isOne = (entry: string) => entry.startsWith(`${GENERATION}/${start}`);
    if (!Object.keys(this.#list.value).some(isOne)) return;
    await this.#change((entries) => Object.fromEntries(Object.entries(entries).filter(([one]) => !isOne(one))));
  }

  /** Waits for the changes under way: an end of the process in between would leave copies that differ. */
  async close(): Promise<void> {
    await this.#last;
  }

  /** Changes the list as it is now: another process may have changed it since it was read. */
  #change(changed: (entries: Entries) => Entries): Promise<void> {
    return this.#exclusively(async () => {
      const { list, loss } = await find(this.#path);
      // A list that is lost is for its owner to begin anew: what one entry of it says would look like the whole.
      if (!this.#isOwn && loss !== null) return;
      const before = this.#isOwn ? later(list, this.#list) : (list ?? NONE);
      const entries = changed(before.value);
      const isWritten = list?.generation === before.generation && isDeepStrictEqual(entries, before.value);
      if (isWritten) this.#list = before;
      else await this.#write(next({ ...before, value: entries }));
    });
  }

  async #write(list: Generated<Entries>): Promise<void> {
    const [first, ...others] = copiesOf(this.#path);
    await writeCopy(first, list);
    this.#list = list;
    for (const path of others) {
      // The change is done: to refuse it now would leave what others find at the next start.
      await writeCopy(path, list).catch(({ message }: Error) =>
        this.#tell(`A copy of the list cannot be written: ${message}`),
      );
    }
  }

  /** Keeps what is left of a list that is lost, or a word that nothing is. */
  async #setAside(loss: string): Promise<void> {
    const aside = this.#path + ASIDE;
    this.#tell(`${loss}; the list is begun anew with what is found, and ${aside} tells of it`);
    for (const path of copiesOf(this.#path)) {
      const isKept = await rename(path, aside).then(
        () => true,
        () => false,
      );
      if (isKept) return;
    }
    await writeFile(aside, `${loss}\n`, { mode: 0o600 }).catch(() => undefined);
  }

  /** Runs `work` after earlier work of this process, and while no other process does any. */
  #exclusively(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(() => withBriefFileLock(`${this.#path}.lock`, work));
    this.#last = done.catch(() => undefined);
    return done;
  }
}

const NONE: Generated<Entries> = { value: {}, generation: 0 };

/** The paths of the list and of its copies, in the order in which they are written. */
function copiesOf(path: string): readonly [string, ...string[]] {
  const start = path.replace(/\.json$/, '');
  return [path, `${start}.copy-1.json`, `${start}.copy-2.json`];
}

function leastOf(entries: Entries, name: string): number {
  return Number(entries[`${GENERATION}/${name}`] ?? 0);
}

function next({ value, generation }: Generated<Entries>): Generated<Entries> {
  return { value, generation: generation + 1 };
}

function later(a: Generated<Entries> | undefined, b: Generated<Entries>): Generated<Entries> {
  return a !== undefined && a.generation > b.generation ? a : b;
}

/** Reads a list. */
async function find(path: string): Promise<Found> {
  const paths = copiesOf(path);
  const copies = await Promise.all(paths.map((one) => readGenerated(one, form).catch((error: Error) => error)));
  const sound = copies.flatMap((one) => (one === undefined || one instanceof Error ? [] : [one]));
  const list = sound.toSorted((a, b) => b.generation - a.generation)[0];
  if (list !== undefined) {
    const isKept = await access(path + ASIDE).then(
      () => true,
      () => false,
    );
    // Earlier versions made no copy.
    const isOlder = list.generation === 0 && sound.length === 1;
    const repairs = copies.flatMap((copy, at) => (isOlder ? [] : repairOf(copy, list, paths[at] ?? '')));
    return { list, fault: isKept ? unknownLosses(path) : null, loss: null, repairs };
  }
  const damages = copies.filter((one) => one instanceof Error);
  const beside = damages.length > 0 ? [] : await keptBeside(path);
  const gone = beside.length > 0 ? `${path} is gone beside ${beside.join(', ')}` : null;
  const loss = damages.length > 0 ? damages.map(({ message }) => message).join('; ') : gone;
  return { list, fault: loss === null ? null : unknownLosses(path), loss, repairs: [] };
}

/** The reason that a copy is to be written anew; none where it is as good as the list that counts. */
function repairOf(copy: Generated<Entries> | Error | undefined, list: Generated<Entries>, path: string): string[] {
  if (copy === undefined) return [`${path} is missing`];
  if (copy instanceof Error) return [copy.message];
  return isDeepStrictEqual(copy, list) ? [] : [`${path} is older than another copy of the list`];
}

async function writeCopy(path: string, { value, generation }: Generated<Entries>): Promise<void> {
  const found = await lstat(path).catch(() => null);
  // A folder that somebody put there cannot be replaced, and may hold something.
  if (found?.isDirectory()) await rename(path, `${path}.${randomUUID()}${ASIDE}`);
  await writeSealed(path, value, form, generation);
}

async function keptBeside(path: string): Promise<string[]> {
  const names = await readdir(dirname(path)).catch(() => []);
  return names.filter((name) => KEPT.includes(name)).toSorted();
}

function unknownLosses(path: string): string {
  return `${basename(path)} was damaged or gone once, so that things may be lost that nothing tells of any more, keys among them: remove ${basename(path)}${ASIDE} once nothing is missed, and start again`;
}
