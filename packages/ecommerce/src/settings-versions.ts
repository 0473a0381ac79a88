import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PelorusError } from '@pelorus/contract';
import { DamagedFileError, readSealed, removeUnfinished, syncFolder, writeSealed } from '@pelorus/files';
import { namesIn, type Place } from './json-file.js';
import type { Comparison } from './learning/learn-weights.js';
import { defaultSettings, type Settings } from './settings.js';
import { closedShop, type ShopFiles, type Tell } from './shop-files.js';

/** The comparison by which weights were learned. */
export interface LearnedNote extends Comparison {
  /** The version that they were compared with. */
  readonly from: number;
}

/** Settings as they were made at some time. */
export interface SettingsVersion {
  /** 0 before anything was set; each change is one more. */
  readonly version: number;
  /** ISO 8601, UTC; null of version 0. */
  readonly updatedAt: string | null;
  readonly settings: Settings;
  /** Absent of settings that somebody made. */
  readonly learned?: LearnedNote;
}

/** The number of versions that are kept, the current one among them. */
const VERSIONS_MAX = 20;

export const initialVersions: readonly SettingsVersion[] = [{ version: 0, updatedAt: null, settings: defaultSettings }];

/**
 * The versions of the settings of one shop, newest first: a file each, `settings/<number>.json`, which is written once. The
 * list of the shop's files says which is the newest: where that one cannot be used there are no settings, rather than
 * earlier ones, which may let in whom the newest does not.
 */
export class SettingsVersions {
  readonly #files: ShopFiles;
  /** Those that can be used. */
  #kept: readonly SettingsVersion[];
  #fault: string | null;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(files: ShopFiles, kept: readonly SettingsVersion[], fault: string | null) {
    this.#files = files;
    this.#kept = kept;
    this.#fault = fault;
  }

  /** Creates the versions of a shop whose settings were never changed. */
  static create(files: ShopFiles): SettingsVersions {
    return new SettingsVersions(files, initialVersions, null);
  }

  /** Reads the versions that are there. Nothing may be writing them. */
  static async open(files: ShopFiles, tell: Tell): Promise<SettingsVersions> {
    let numbers: readonly number[];
    try {
      numbers = await numbersIn(folderOf(files));
    } catch (error) {
      return new SettingsVersions(files, [], (error as Error).message);
    }
    const listed = await newestOf(files, numbers, tell);
    const kept: SettingsVersion[] = [];
    const reasons: string[] = [];
    for (let number = listed; number >= Math.max(0, listed - VERSIONS_MAX + 1); number -= 1) {
      try {
        kept.push(await readVersion(files, number));
      } catch (error) {
        reasons.push((error as Error).message);
      }
    }
    const newestFault = kept[0]?.version === listed ? null : (reasons[0] ?? null);
    for (const reason of reasons)
      if (reason !== newestFault) tell({ reason }, 'An earlier version of settings is lost');
    await tidy(files, numbers, listed, tell);
    return new SettingsVersions(files, kept, files.fault ?? newestFault);
  }

  /** The reason that there are no settings; null where there are. */
  get fault(): string | null {
    return this.#fault;
  }

  /** @throws PelorusError `backend_data_parsing_error` where the newest cannot be used */
  get newest(): SettingsVersion {
    const [newest] = this.#kept;
    if (this.#fault !== null || newest === undefined) throw closedShop(this.#fault ?? 'There are no settings');
    return newest;
  }

  /** Those that can be used, be it that the newest cannot. */
  get kept(): readonly SettingsVersion[] {
    return this.#kept;
  }

  /** Appends what `next` makes of the newest version, unless that is this one. Durable when it resolves. */
  append(next: (newest: SettingsVersion) => SettingsVersion): Promise<SettingsVersion> {
    return this.#inTurn(async () => {
      const version = next(this.newest);
      if (version === this.#kept[0]) return version;
      try {
        await this.#files.keep({ settings: version.version }, () => writeVersion(this.#files, version));
      } catch (error) {
        // A refused version must not be found after a restart.
        await rm(placeOf(this.#files, version.version).path, { force: true }).catch(() => undefined);
        throw error;
      }
      await this.#use(version);
      return version;
    });
  }

  /** As {@link append}, on the word of who knows that the newest cannot be used: with what is made the shop is open again. */
  repair(next: (newest: number) => SettingsVersion): Promise<SettingsVersion> {
    return this.#inTurn(async () => {
      const [newest = 0] = await numbersIn(folderOf(this.#files));
      const version = next(Math.max(newest, this.#files.kept.settings));
      await writeVersion(this.#files, version);
      await this.#files.list(version.version);
      await this.#use(version);
      this.#fault = null;
      return version;
    });
  }

  async #use(version: SettingsVersion): Promise<void> {
    const all = [version, ...this.#kept];
    this.#kept = all.slice(0, VERSIONS_MAX);
    for (const { version: number } of all.slice(VERSIONS_MAX)) {
      // A file that cannot be removed now is removed at the next start.
      await rm(placeOf(this.#files, number).path, { force: true }).catch(() => undefined);
    }
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}

/**
 * The number of the newest version: that of the list, or of a later one that was written whole. A crash came before the
 * list told of it, or the list is an earlier state of itself; either way the later one may close what the earlier opens.
 */
async function newestOf(files: ShopFiles, numbers: readonly number[], tell: Tell): Promise<number> {
  if (files.fault !== null) return numbers[0] ?? 0;
  const listed = files.kept.settings;
  for (const number of numbers.filter((one) => one > listed)) {
    try {
      await readVersion(files, number);
      await files.keep({ settings: number }, async () => undefined);
      return number;
    } catch (error) {
      if (!(error instanceof DamagedFileError)) tell({ reason: (error as Error).message }, 'A list cannot be written');
    }
  }
  return listed;
}

/** Removes versions that a crash cut short, and those that are kept no more. */
async function tidy(files: ShopFiles, numbers: readonly number[], newest: number, tell: Tell): Promise<void> {
  const folder = folderOf(files);
  const later = numbers.filter((number) => number > newest).map((number) => `${number}.json`);
  const known = new Set([...numbers.map((number) => `${number}.json`), `${newest + 1}.json`]);
  try {
    await removeUnfinished(placeOf(files, newest + 1).path);
    const names = await namesIn(folder);
    for (const name of [...later, ...names.filter((name) => !known.has(name))]) {
      tell({ path: join(folder, name) }, 'This is no version of the settings, and is left alone');
    }
    for (const number of numbers) {
      if (number <= newest - VERSIONS_MAX) await rm(placeOf(files, number).path, { force: true });
    }
  } catch {
    // The next start tries it again.
  }
}

/** Lists the numbers of the versions that have a file in a folder, newest first. */
export async function numbersIn(folder: string): Promise<number[]> {
  const numbers = (await namesIn(folder)).flatMap((name) => {
    const [, number] = /^([1-9]\d{0,14})\.json$/.exec(name) ?? [];
    return number === undefined ? [] : [Number(number)];
  });
  return numbers.sort((a, b) => b - a);
}

async function readVersion(files: ShopFiles, number: number): Promise<SettingsVersion> {
  if (number === 0) return initialVersions[0] as SettingsVersion;
  const place = placeOf(files, number);
  const version = await readSealed(place.path, place);
  if (version === undefined) throw new DamagedFileError(place.path, 'is missing');
  return version;
}

async function writeVersion(files: ShopFiles, version: SettingsVersion): Promise<void> {
  const place = placeOf(files, version.version);
  // Not the folder above it: without that there is no such index any more.
  const made = await mkdir(folderOf(files)).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false;
      throw error.code === 'ENOENT'
        ? new PelorusError('index_not_found', 'The index was deleted', { cause: error })
        : error;
    },
  );
  await writeSealed(place.path, version, place);
  if (made) await syncFolder(files.folder);
}

function folderOf(files: ShopFiles): string {
  return join(files.folder, 'settings');
}

export function placeOf(files: ShopFiles, version: number): Place<SettingsVersion> {
  return files.place(`settings/${version}`, (value): value is SettingsVersion => {
    const { version: own, settings } = (value ?? {}) as Partial<SettingsVersion>;
    return own === version && areSettings(settings);
  });
}

/** Tells whether the settings that protect a shop are of their kind. The rest was checked when it was set. */
function areSettings(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { requireApiKey, allowedOrigins, defaultFilter, publicFields } = value as Settings;
  const areTexts = (list: unknown) =>
    list == null || (Array.isArray(list) && list.every((one) => typeof one === 'string'));
  return (
    (requireApiKey == null || typeof requireApiKey === 'boolean') &&
    (defaultFilter == null || typeof defaultFilter === 'string') &&
    areTexts(allowedOrigins) &&
    areTexts(publicFields)
  );
}
