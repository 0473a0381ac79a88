import { basename, join } from 'node:path';
import {
  type Generated,
  type Generations,
  neverOlder,
  readGenerated,
  type SealedForm,
  withBriefFileLock,
  writeSealed,
} from '@pelorus/files';

/** Most revoked keys that are listed; the ones that were revoked first are forgotten. */
const REVOKED_MAX = 2_000;

const LIST = 'list.json';
const idPattern = /^[0-9a-f-]{36}$/;

/** The keys that there must be. */
export interface ListedKeys {
  /** The version that the file of each key has at least, by id: an older one was put back, and may say what is no longer so. */
  readonly versions: ReadonlyMap<string, number>;
  /** Keys that were revoked and when, ISO 8601, by id: no file makes them good again. */
  readonly revoked: ReadonlyMap<string, string>;
  /** The time at which keys were begun anew, ISO 8601: none that is not listed, and was made before, is good. */
  readonly since?: string | undefined;
}

/** The lists as they were found. */
export interface FoundLists extends ListedKeys {
  /** Tells whether there is any, be it damaged: there were keys then. */
  readonly isThere: boolean;
  /** The reason that nobody knows which keys are good; null where one list at least is as it was written. */
  readonly fault: string | null;
  /** The keys by the lists that can be read, be it that nobody knows which are good. */
  readonly written: ListedKeys;
  /** The lists that are to be written anew, each with its reason. */
  readonly repairs: readonly string[];
  /** Tells whether the lists are sound, and say different things. */
  readonly differ: boolean;
  /** The number of times that the later list was changed; 0 of lists of before that was counted. */
  readonly generation: number;
}

/** Facts about the lists that are kept elsewhere. */
export interface KnownLists {
  /** Notes the generation of the lists, apart from them. */
  readonly generations: Generations;
  /** Tells that there were lists before generations were noted, or that nobody knows whether there were. */
  readonly wereThere: boolean;
}

interface Content {
  readonly keys: Readonly<Record<string, number>>;
  readonly revoked: Readonly<Record<string, string>>;
  readonly since?: string;
}

/**
 * The two lists of the keys of a data directory: one in their folder, and the same beside it, as `keys.json`, which does
 * not go with the folder. The later state of each key counts, whichever list has it. Several processes may write them, one
 * at a time, and each lists what it knows besides what it finds.
 *
 * Each writing is of the next generation, and notes it apart from the lists once both are there. Lists that are older than
 * what is noted were put back: a key that ended since may be good by them, so that none counts. A list that is alone counts
 * where it is noted, and is then written twice again.
 */
export class KeyLists {
  readonly #inner: string;
  readonly #outer: string;
  readonly #lock: string;
  readonly #known: KnownLists;

  constructor(folder: string, known: KnownLists) {
    this.#inner = join(folder, LIST);
    this.#outer = `${folder}.json`;
    this.#lock = `${folder}.lock`;
    this.#known = known;
  }

  /** The paths of the lists. */
  get paths(): readonly [inner: string, outer: string] {
    return [this.#inner, this.#outer];
  }

  /** Tells that there were lists, be it that they are gone, or that nobody knows. */
  get wereThere(): boolean {
    return this.#known.wereThere || this.noted > 0;
  }

  async read(): Promise<FoundLists> {
    // Read first, since it is written last.
    const least = this.noted;
    const [inner, outer] = [await readList(this.#inner), await readList(this.#outer)];
    const sound = [inner, outer].flatMap((one) => (one === undefined || one instanceof Error ? [] : [one]));
    const damages = [inner, outer].filter((one) => one instanceof Error).map(({ message }) => message);
    const missing = [inner, outer].flatMap((one, at) => (one === undefined ? [`${this.paths[at]} is missing`] : []));
    const generation = Math.max(0, ...sound.map((one) => one.generation));
    const isThere = missing.length < 2;
    // Earlier versions made one list of ids, or none.
    const isOfBefore = damages.length === 0 && generation === 0 && sound.every(({ value }) => isOlder(value));
    const repairs = isOfBefore && !this.wereThere ? [] : [...damages, ...missing];
    // A process was killed while it listed the first key.
    const isFirst = damages.length === 0 && generation === 1 && !this.wereThere;
    let fault: string | null = null;
    if (isThere && damages.length === 0 && generation < least) {
      fault = `the lists of the keys are older copies: they are of generation ${generation}, and ${least} was stored`;
    } else if (repairs.length > 0 && !isFirst && (least === 0 || generation < least)) fault = repairs.join('; ');
    const [first, second] = sound.map(({ value }) => JSON.stringify(value));
    const written = merged(sound.map(({ value }) => listedOf(value)));
    return {
      ...(fault === null ? written : merged([])),
      ...{ written },
      ...{ isThere, fault, repairs: fault === null ? repairs : [], generation },
      differ: second !== undefined && first !== second,
    };
  }

  /** Runs `work` while no other process writes the lists. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    return withBriefFileLock(this.#lock, work);
  }

  /** Writes both lists, that beside the folder first. Durable when it resolves. For work that no other process does meanwhile. */
  async write(listed: ListedKeys): Promise<void> {
    const generation = await this.writeOuter(listed);
    await writeSealed(this.#inner, contentOf(listed), listForm, generation);
    await this.note(generation);
  }

  /** Writes the list beside the folder alone. Durable when it resolves. @returns its generation */
  async writeOuter(listed: ListedKeys): Promise<number> {
    const all = [await readList(this.#inner), await readList(this.#outer)];
    const found = all.map((one) => (one === undefined || one instanceof Error ? 0 : one.generation));
    const generation = Math.max(this.noted, ...found) + 1;
    await writeSealed(this.#outer, contentOf(listed), listForm, generation);
    return generation;
  }

  /** Notes the generation of lists that are there. */
  async note(generation: number): Promise<void> {
    await this.#known.generations.raise(listForm.name, generation);
  }

  /** Tells whether a name beside the folder is of a list that a crash cut short. */
  isUnfinished(name: string): boolean {
    return name.startsWith(`${basename(this.#outer)}.`) && name.endsWith('.tmp');
  }

  /** The generation that is noted; 0 where none is. */
  get noted(): number {
    return this.#known.generations.least(listForm.name);
  }
}

/** The later state of each key. */
export function merged(all: readonly ListedKeys[]): ListedKeys {
  const [versions, revoked] = [new Map<string, number>(), new Map<string, string>()];
  for (const listed of all) for (const [id, at] of listed.revoked) revoked.set(id, at);
  for (const listed of all) {
    for (const [id, version] of listed.versions) {
      if (!revoked.has(id)) versions.set(id, Math.max(version, versions.get(id) ?? 0));
    }
  }
  const [since] = all.flatMap((listed) => listed.since ?? []).toSorted((a, b) => (a < b ? 1 : -1));
  return { versions, revoked, since };
}

async function readList(path: string): Promise<Generated<Content | readonly string[]> | Error | undefined> {
  try {
    return await readGenerated(path, listForm);
  } catch (error) {
    return error as Error;
  }
}

function listedOf(found: Content | readonly string[]): ListedKeys {
  if (isOlder(found)) return { versions: new Map(found.map((id) => [id, 1])), revoked: new Map() };
  const { keys, revoked, since } = found;
  return { versions: new Map(Object.entries(keys)), revoked: new Map(Object.entries(revoked)), since };
}

function contentOf({ versions, revoked, since }: ListedKeys): Content {
  const kept = [...revoked].toSorted(([, a], [, b]) => (a < b ? 1 : -1)).slice(0, REVOKED_MAX);
  return { keys: sorted(versions), revoked: sorted(kept), ...(since !== undefined && { since }) };
}

function sorted<Value>(entries: Iterable<readonly [string, Value]>): Record<string, Value> {
  return Object.fromEntries([...entries].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Lists of before versions were listed are of ids alone. */
function isOlder(value: Content | readonly string[]): value is readonly string[] {
  return Array.isArray(value);
}

const listForm: SealedForm<Content | readonly string[]> = {
  name: 'keys/list',
  isValue: (value): value is Content | readonly string[] => {
    const isId = (id: unknown) => typeof id === 'string' && idPattern.test(id);
    if (Array.isArray(value)) return value.every(isId);
    const { keys, revoked, since = '' } = (value ?? {}) as Partial<Content>;
    return (
      typeof since === 'string' &&
      isRecord(keys, (version) => Number.isSafeInteger(version)) &&
      isRecord(revoked, (at) => typeof at === 'string')
    );
  },
  fromOlder: neverOlder,
};

function isRecord(value: unknown, isMember: (member: unknown) => boolean): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(([id, member]) => idPattern.test(id) && isMember(member));
}
