import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PelorusError, type schemas } from '@pelorus/contract';
import {
  DamagedFileError,
  isDiskFull,
  neverOlder,
  readGenerated,
  removeUnfinished,
  type SealedForm,
  syncFolder,
  writeSealed,
} from '@pelorus/files';

/** The folder of the sets in a data directory. */
export const JUDGEMENTS = 'judgements';

/** Most sets of a server. */
export const SETS_MAX = 50;

/** The time after which a change that a full disk refused may be tried again. */
const FULL_RETRY_SECONDS = 30;

/** The file of a set: not its bare name, as some systems have names that no file can have. */
const FILE = /^set-([a-z0-9][a-z0-9_-]{0,63})\.json$/;
const fileOf = (name: string): string => `set-${name}.json`;

/** Tells whether a set can have the name. Letters are small ones: some systems take files `a` and `A` for one. */
export const isSetName = (name: string): boolean => FILE.test(fileOf(name));

type Summary = Omit<schemas.JudgementSetSummary, 'telemetry'>;

/** Queries with their grades, and pairs of searches to compare by them. */
export type SetContent = Pick<schemas.JudgementSet, 'queries' | 'configurations'>;

/** A change of a set; its configurations stay where it has none. */
export type SetChange = Pick<SetContent, 'queries'> & { readonly configurations?: SetContent['configurations'] | null };

/** The version of what a file holds: 1, which no file names, had queries alone; 2 has configurations too. */
const FORMAT = 2;

interface Stored extends Omit<SetContent, 'configurations'> {
  readonly format?: number;
  readonly updatedAt: string;
  readonly configurations?: SetContent['configurations'];
}

const form: SealedForm<Stored> = {
  name: 'judgements',
  isValue: (value): value is Stored => {
    const { format = 1, updatedAt, queries, configurations } = (value ?? {}) as Partial<Stored>;
    // Nothing is known of a later one; the reader refuses it by its number.
    if (Number.isInteger(format) && format > FORMAT) return true;
    const hasOwn = format === 1 ? configurations === undefined : format === FORMAT && isConfigurations(configurations);
    return hasOwn && typeof updatedAt === 'string' && Array.isArray(queries) && queries.every(isJudgedQuery);
  },
  fromOlder: neverOlder,
};

function isConfigurations(value: unknown): boolean {
  const isWay = (way: unknown): boolean => {
    const { index, search } = (way ?? {}) as Partial<schemas.JudgedWay>;
    return typeof index === 'string' && typeof search === 'object' && search !== null;
  };
  const isOne = (one: unknown): boolean => {
    const { name, first, second } = (one ?? {}) as Partial<schemas.JudgedConfiguration>;
    return typeof name === 'string' && isWay(first) && isWay(second);
  };
  return Array.isArray(value) && value.every(isOne);
}

function isJudgedQuery(value: unknown): boolean {
  const { q, judgements } = (value ?? {}) as Partial<schemas.JudgedQuery>;
  if (typeof q !== 'string' || typeof judgements !== 'object' || judgements === null) return false;
  return Object.values(judgements).every((grade) => Number.isInteger(grade));
}

/**
 * The sets of judgements of a data directory: a sealed file for each, replaced whole, whose generation is the version of the
 * set. Nothing is read before the first call; whoever has the directory has all of its sets.
 */
export class JudgementSets {
  readonly #dataDir: string;
  readonly #folder: string;
  readonly #now: () => Date;
  readonly #writeFile: typeof writeSealed;
  /** By name; undefined until they are read, and where a change failed on its way to the disk. */
  #known: Promise<Map<string, Summary>> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** @param write replaces a file as `writeSealed` does */
  constructor(dataDir: string, now = () => new Date(), write = writeSealed) {
    this.#dataDir = dataDir;
    this.#writeFile = write;
    this.#folder = join(dataDir, JUDGEMENTS);
    this.#now = now;
  }

  /** The sets with their sizes, by name. One that cannot be read has its fault. */
  async list(): Promise<Summary[]> {
    const known = await this.#read();
    return [...known.values()].sort((a, b) => (a.setName < b.setName ? -1 : 1));
  }

  /**
   * A set; undefined where there is none.
   * @throws PelorusError `backend_data_parsing_error` for one that cannot be read
   */
  async get(name: string): Promise<KnownSet | undefined> {
    try {
      return await readSet(join(this.#folder, fileOf(name)));
    } catch (error) {
      if (error instanceof DamagedFileError) throw unreadable(faultOf(error));
      throw error;
    }
  }

  /**
   * Stores a set, durably.
   * @param change in place of what is stored
   * @param version that of the set that is replaced, 0 for none; null for any
   * @throws PelorusError `version_conflict`; `bad_request` for one set too many; `insufficient_storage` on a full disk;
   * `backend_data_parsing_error` in place of one that cannot be read
   */
  put(name: string, { queries, configurations }: SetChange, version: number | null): Promise<Summary> {
    return this.#alone(async (known) => {
      const before = known.get(name);
      if (before?.fault !== undefined) throw unreadable(before.fault);
      const current = before?.version ?? 0;
      if (version !== null && version !== current) {
        throw new PelorusError('version_conflict', `The set ${name} is of version ${current}, not ${version}`);
      }
      if (before === undefined && known.size >= SETS_MAX) {
        throw new PelorusError(
          'bad_request',
          `There are ${known.size} sets of judgements, and there may be ${SETS_MAX}: delete one first`,
        );
      }
      const kept =
        configurations ?? (before && before.configurationCount > 0 ? await this.get(name) : null)?.configurations;
      const set = { version: current + 1, updatedAt: this.#now().toISOString(), queries, configurations: kept ?? [] };
      await this.#write(name, set);
      const summary = summaryOf(name, set);
      known.set(name, summary);
      return summary;
    });
  }

  /** Deletes a set, durably, be it that it cannot be read; false where there is none. */
  delete(name: string): Promise<boolean> {
    return this.#alone(async (known) => {
      if (!known.has(name)) return false;
      await rm(join(this.#folder, fileOf(name)));
      await syncFolder(this.#folder);
      known.delete(name);
      return true;
    });
  }

  async #write(name: string, { version, ...content }: KnownSet): Promise<void> {
    try {
      if ((await mkdir(this.#folder, { recursive: true, mode: 0o700 })) !== undefined) await syncFolder(this.#dataDir);
      await this.#writeFile(join(this.#folder, fileOf(name)), { format: FORMAT, ...content }, form, version);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      const headers = { 'retry-after': String(FULL_RETRY_SECONDS) };
      const message = 'The disk has no room for this change of a set of judgements';
      throw new PelorusError('insufficient_storage', message, { headers, cause: error });
    }
  }

  /** Runs a change after earlier ones. A change that failed may have arrived: the disk is read anew after it. */
  #alone<Result>(change: (known: Map<string, Summary>) => Promise<Result>): Promise<Result> {
    const done = this.#last.then(async () => {
      const known = await this.#read();
      try {
        return await change(known);
      } catch (error) {
        if (!(error instanceof PelorusError) || error.code === 'insufficient_storage') this.#known = undefined;
        throw error;
      }
    });
    this.#last = done.catch(() => undefined);
    return done;
  }

  #read(): Promise<Map<string, Summary>> {
    this.#known ??= readAll(this.#folder).catch((error) => {
      this.#known = undefined;
      throw error;
    });
    return this.#known;
  }
}

/** Reads all sets, one at a time: together they may be large. Removes what a crash left of unfinished ones. */
async function readAll(folder: string): Promise<Map<string, Summary>> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const known = new Map<string, Summary>();
  for (const file of names) {
    const [, unfinished] = /^(set-.*\.json)\.[0-9a-f-]{36}\.tmp$/.exec(file) ?? [];
    if (unfinished !== undefined) await removeUnfinished(join(folder, unfinished));
    const [, name] = FILE.exec(file) ?? [];
    if (name !== undefined) known.set(name, await readSummary(folder, name));
  }
  return known;
}

/** A set as it is stored, in the newest form. */
interface KnownSet extends SetContent {
  readonly version: number;
  readonly updatedAt: string;
}

/** @throws DamagedFileError also for a set of a later form */
async function readSet(path: string): Promise<KnownSet | undefined> {
  const found = await readGenerated(path, form);
  if (found === undefined) return undefined;
  const { format = 1, updatedAt, queries, configurations = [] } = found.value;
  if (format > FORMAT) throw new DamagedFileError(path, `is of a later version: its set is of form ${format}`);
  return { version: found.generation, updatedAt, queries, configurations };
}

async function readSummary(folder: string, name: string): Promise<Summary> {
  try {
    const found = await readSet(join(folder, fileOf(name)));
    if (found === undefined) throw new DamagedFileError(fileOf(name), 'is gone');
    return summaryOf(name, found);
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
    const sizes = { queryCount: 0, judgementCount: 0, configurationCount: 0 };
    return { setName: name, version: 0, updatedAt: null, ...sizes, fault: faultOf(error) };
  }
}

function summaryOf(setName: string, { version, updatedAt, queries, configurations }: KnownSet): Summary {
  const judgementCount = queries.reduce((sum, { judgements }) => sum + Object.keys(judgements).length, 0);
  const sizes = { queryCount: queries.length, judgementCount, configurationCount: configurations.length };
  return { setName, version, updatedAt, ...sizes };
}

const faultOf = ({ message }: DamagedFileError): string =>
  `${message}: put it back from a backup and start again, or delete the set`;

const unreadable = (fault: string): PelorusError => new PelorusError('backend_data_parsing_error', fault);
