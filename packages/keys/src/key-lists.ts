import { mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { neverOlder, readSealed, type SealedForm, writeSealed } from '@pelorus/files';

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
}

/** The lists as they were found. */
export interface FoundLists extends ListedKeys {
  /** Tells whether there is any, be it damaged: there were keys then. */
  readonly isThere: boolean;
  /** The reason that nobody knows which keys are good; null where one list at least is as it was written. */
  readonly fault: string | null;
  /** The lists that are to be written anew, each with its reason. */
  readonly repairs: readonly string[];
  /** Tells whether the lists are sound, and say different things. */
  readonly differ: boolean;
}

interface Content {
  readonly keys: Readonly<Record<string, number>>;
  readonly revoked: Readonly<Record<string, string>>;
}

/**
 * The two lists of the keys of a data directory: one in their folder, and the same beside it, as `keys.json`, which does
 * not go with the folder. The later state of each key counts, whichever list has it. Several processes may write them:
 * each lists what it knows besides what it finds, and looks again when the folder changes.
 */
export class KeyLists {
  readonly #inner: string;
  readonly #outer: string;

  constructor(folder: string) {
    this.#inner = join(folder, LIST);
    this.#outer = `${folder}.json`;
  }

  /** The paths of the lists. */
  get paths(): readonly [inner: string, outer: string] {
    return [this.#inner, this.#outer];
  }

  async read(): Promise<FoundLists> {
    const [inner, outer] = [await readList(this.#inner), await readList(this.#outer)];
    const isThere = inner !== undefined || outer !== undefined;
    const sound = [inner, outer].flatMap((one) => (one === undefined || one instanceof Error ? [] : [one]));
    const damaged = [inner, outer].filter((one) => one instanceof Error);
    // A list of before there were two is no match for one that cannot be read.
    const isKnown = sound.some((one) => !Array.isArray(one)) || damaged.length === 0;
    const fault = isKnown ? null : damaged.map(({ message }) => message).join('; ');
    const listed = sound.map(listedOf);
    const repairs = damaged.map(({ message }) => message);
    if (isThere && inner === undefined) repairs.push(`${this.#inner} is missing`);
    if (outer === undefined && inner !== undefined && !Array.isArray(inner)) repairs.push(`${this.#outer} is missing`);
    const [first, second] = sound.map((one) => JSON.stringify(one));
    return {
      ...(fault === null ? merged(listed) : merged([])),
      ...{ isThere, fault, repairs: fault === null ? repairs : [] },
      differ: second !== undefined && first !== second,
    };
  }

  /** Writes both lists, that beside the folder first. Durable when it resolves. */
  async write(listed: ListedKeys): Promise<void> {
    await this.writeOuter(listed);
    await writeSealed(this.#inner, contentOf(listed), listForm);
  }

  /** Writes the list beside the folder alone. Durable when it resolves. */
  async writeOuter(listed: ListedKeys): Promise<void> {
    await mkdir(dirname(this.#outer), { recursive: true });
    await writeSealed(this.#outer, contentOf(listed), listForm);
  }

  /** Tells whether a name beside the folder is of a list that a crash cut short. */
  isUnfinished(name: string): boolean {
    return name.startsWith(`${basename(this.#outer)}.`) && name.endsWith('.tmp');
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
  return { versions, revoked };
}

async function readList(path: string): Promise<Content | readonly string[] | Error | undefined> {
  try {
    return await readSealed(path, listForm);
  } catch (error) {
    return error as Error;
  }
}

function listedOf(found: Content | readonly string[]): ListedKeys {
  if (isOlder(found)) return { versions: new Map(found.map((id) => [id, 1])), revoked: new Map() };
  return { versions: new Map(Object.entries(found.keys)), revoked: new Map(Object.entries(found.revoked)) };
}

function contentOf({ versions, revoked }: ListedKeys): Content {
  const kept = [...revoked].toSorted(([, a], [, b]) => (a < b ? 1 : -1)).slice(0, REVOKED_MAX);
  return { keys: sorted(versions), revoked: sorted(kept) };
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
    const { keys, revoked } = (value ?? {}) as Partial<Content>;
    return (
      isRecord(keys, (version) => Number.isSafeInteger(version)) && isRecord(revoked, (at) => typeof at === 'string')
    );
  },
  fromOlder: neverOlder,
};

function isRecord(value: unknown, isMember: (member: unknown) => boolean): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(([id, member]) => idPattern.test(id) && isMember(member));
}
