import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { removeUnfinished, syncFolder } from '@pelorus/files';
import { JsonFile, namesIn } from './json-file.js';
import { defaultSettings, type Settings } from './settings.js';

/** Settings as they were made at some time. */
export interface SettingsVersion {
  /** 0 before anything was set; each change is one more. */
  readonly version: number;
  /** ISO 8601, UTC; null of version 0. */
  readonly updatedAt: string | null;
  readonly settings: Settings;
}

/** How many versions are kept, the current one among them. */
const VERSIONS_MAX = 20;

export const initialVersions: readonly SettingsVersion[] = [{ version: 0, updatedAt: null, settings: defaultSettings }];

/** The versions of the settings of one shop, newest first: a file each, `<number>.json`, which is written once. */
export class SettingsVersions {
  readonly #folder: string;
  #kept: readonly SettingsVersion[];
  #last: Promise<unknown> = Promise.resolve();

  private constructor(folder: string, kept: readonly SettingsVersion[]) {
    this.#folder = folder;
    this.#kept = kept;
  }

  /** Of a shop whose settings were never changed. Its folder comes to be with the first change. */
  static create(folder: string): SettingsVersions {
    return new SettingsVersions(folder, initialVersions);
  }

  /**
   * Reads the versions that are in `folder`. Nothing may be writing it.
   * @throws Error where a file cannot be read: it is left as it is
   */
  static async open(folder: string): Promise<SettingsVersions> {
    await splitFile(folder);
    const [newest = 0, ...others] = await numbersIn(folder);
    // What a crash cut short: the version that was to come, or the removal of those that are kept no more.
    await removeUnfinished(pathOf(folder, newest + 1));
    const numbers = newest === 0 ? [] : [newest, ...others.filter((number) => number > newest - VERSIONS_MAX)];
    for (const number of others) if (!numbers.includes(number)) await rm(pathOf(folder, number), { force: true });
    const versions = await Promise.all(numbers.map((number) => readVersion(pathOf(folder, number))));
    return new SettingsVersions(folder, [...versions, ...initialVersions].slice(0, VERSIONS_MAX));
  }

  get kept(): readonly SettingsVersion[] {
    return this.#kept;
  }

  /** Appends what `next` makes of the versions that are there then, unless that is the newest of these. Durable when it resolves. */
  append(next: (kept: readonly SettingsVersion[]) => SettingsVersion): Promise<SettingsVersion> {
    const appended = this.#last.then(async () => {
      const version = next(this.#kept);
      if (version === this.#kept[0]) return version;
      await writeVersion(this.#folder, version);
      const all = [version, ...this.#kept];
      this.#kept = all.slice(0, VERSIONS_MAX);
      for (const { version: number } of all.slice(VERSIONS_MAX)) {
        // What cannot be removed now is removed at the next start.
        await rm(pathOf(this.#folder, number), { force: true }).catch(() => undefined);
      }
      return version;
    });
    this.#last = appended.catch(() => undefined);
    return appended;
  }

  remove(): Promise<void> {
    const removed = this.#last.then(() => rm(this.#folder, { recursive: true, force: true }));
    this.#last = removed.catch(() => undefined);
    return removed;
  }
}

/** All versions once stood in `<folder>.json`. That file goes when each of them has one of its own. */
async function splitFile(folder: string): Promise<void> {
  const file = `${folder}.json`;
  const together = await JsonFile.open<readonly SettingsVersion[]>(file, []);
  if (together.value.length === 0) return;
  const there = new Set(await numbersIn(folder));
  for (const version of together.value) {
    if (version.version === 0 || there.has(version.version)) continue;
    await removeUnfinished(pathOf(folder, version.version));
    await writeVersion(folder, version);
  }
  await rm(file, { force: true });
  await syncFolder(dirname(file));
}

/** Of the versions that have a file, newest first. */
async function numbersIn(folder: string): Promise<number[]> {
  const numbers = (await namesIn(folder)).flatMap((name) => {
    const [, number] = /^(\d+)\.json$/.exec(name) ?? [];
    return number === undefined ? [] : [Number(number)];
  });
  return numbers.sort((a, b) => b - a);
}

async function readVersion(path: string): Promise<SettingsVersion> {
  const { value } = await JsonFile.open<SettingsVersion | null>(path, null);
  if (value === null) throw new Error(`${path} was removed while it was read`);
  return value;
}

async function writeVersion(folder: string, version: SettingsVersion): Promise<void> {
  await JsonFile.create(pathOf(folder, version.version), version).change((same) => same);
}

function pathOf(folder: string, version: number): string {
  return join(folder, `${version}.json`);
}
