import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PelorusError } from '@pelorus/contract';
import { idsOfFiles, JsonFile } from './json-file.js';
import { changedSettings, defaultSettings, type Settings } from './settings.js';
import { checkSettings } from './settings-rules.js';

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

const initial: readonly SettingsVersion[] = [{ version: 0, updatedAt: null, settings: defaultSettings }];

/** The settings of all shops, by id of the index: a file each, with the versions that are kept, newest first. */
export class SettingsStore {
  readonly #folder: string;
  readonly #files = new Map<string, JsonFile<readonly SettingsVersion[]>>();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Opens the settings of the indexes that are there, and removes those of others, which were deleted. */
  static async open(folder: string, isThere: (id: string) => boolean): Promise<SettingsStore> {
    const store = new SettingsStore(folder);
    for (const id of await idsOfFiles(folder, isThere)) {
      store.#files.set(id, await JsonFile.open(store.#path(id), initial));
    }
    return store;
  }

  current(id: string): SettingsVersion {
    return this.versions(id)[0] as SettingsVersion;
  }

  /** Newest first. */
  versions(id: string): readonly SettingsVersion[] {
    return this.#files.get(id)?.value ?? initial;
  }

  /**
   * Replaces the members that `change` has.
   * @param expected the version that is to be changed; any where null
   * @throws PelorusError `version_conflict`; `invalid_argument` for settings that cannot be
   */
  change(id: string, change: Settings, expected: number | null): Promise<SettingsVersion> {
    return this.#append(id, expected, ({ settings }) => changedSettings(settings, change));
  }

  /**
   * Makes an earlier version the newest.
   * @throws PelorusError `version_conflict`; `invalid_argument` for a version that is not kept
   */
  rollBack(id: string, version: number, expected: number | null): Promise<SettingsVersion> {
    return this.#append(id, expected, (_, versions) => {
      const earlier = versions.find((one) => one.version === version);
      if (earlier !== undefined) return earlier.settings;
      const kept = versions.map((one) => one.version).join(', ');
      throw new PelorusError('invalid_argument', `version must be one that is kept (${kept}), but it is ${version}`);
    });
  }

  /** Forgets the settings of an index that was deleted. */
  async remove(id: string): Promise<void> {
    this.#files.delete(id);
    await rm(this.#path(id), { force: true });
  }

  async #append(
    id: string,
    expected: number | null,
    next: (current: SettingsVersion, versions: readonly SettingsVersion[]) => Settings,
  ): Promise<SettingsVersion> {
    // What there is of an index was read at the start, and no other ever has its id.
    const file = this.#files.get(id) ?? JsonFile.create(this.#path(id), initial);
    this.#files.set(id, file);
    const versions = await file.change((kept) => {
      const current = kept[0] as SettingsVersion;
      if (expected !== null && expected !== current.version) {
        throw new PelorusError('version_conflict', `The settings are of version ${current.version}, not ${expected}`);
      }
      const settings = next(current, kept);
      checkSettings(settings);
      const appended = { version: current.version + 1, updatedAt: new Date().toISOString(), settings };
      return [appended, ...kept].slice(0, VERSIONS_MAX);
    });
    return versions[0] as SettingsVersion;
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.json`);
  }
}
