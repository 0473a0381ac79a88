import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { PelorusError } from '@pelorus/contract';
import { idsIn } from './json-file.js';
import { changedSettings, type Settings } from './settings.js';
import { checkSettings } from './settings-rules.js';
import { initialVersions, type SettingsVersion, SettingsVersions } from './settings-versions.js';

/** The settings of all shops, by id of the index: a folder each, with the versions that are kept. */
export class SettingsStore {
  readonly #folder: string;
  readonly #shops = new Map<string, SettingsVersions>();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Opens the settings of the indexes that are there, and removes those of others, which were deleted. */
  static async open(folder: string, isThere: (id: string) => boolean): Promise<SettingsStore> {
    const store = new SettingsStore(folder);
    for (const id of await idsIn(folder, isThere)) {
      store.#shops.set(id, await SettingsVersions.open(join(folder, id)));
    }
    return store;
  }

  current(id: string): SettingsVersion {
    return this.versions(id)[0] as SettingsVersion;
  }

  /** Newest first. */
  versions(id: string): readonly SettingsVersion[] {
    return this.#shops.get(id)?.kept ?? initialVersions;
  }

  /**
   * Replaces the members that `change` has. Where that changes nothing, the version that is there stays the newest.
   * @param expected the version that is to be changed; any where null
   * @throws PelorusError `version_conflict`; `invalid_argument` for settings that cannot be
   */
  change(id: string, change: Settings, expected: number | null): Promise<SettingsVersion> {
    return this.#append(id, expected, ({ settings }) => {
      const changed = changedSettings(settings, change);
      return isDeepStrictEqual(changed, settings) ? settings : changed;
    });
  }

  /**
   * Makes an earlier version the newest, as one more; the newest itself stays as it is.
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
    const shop = this.#shops.get(id);
    this.#shops.delete(id);
    await shop?.remove();
  }

  #append(
    id: string,
    expected: number | null,
    next: (current: SettingsVersion, versions: readonly SettingsVersion[]) => Settings,
  ): Promise<SettingsVersion> {
    // What there is of an index was read at the start, and no other ever has its id.
    const shop = this.#shops.get(id) ?? SettingsVersions.create(join(this.#folder, id));
    this.#shops.set(id, shop);
    return shop.append((kept) => {
      const current = kept[0] as SettingsVersion;
      if (expected !== null && expected !== current.version) {
        throw new PelorusError('version_conflict', `The settings are of version ${current.version}, not ${expected}`);
      }
      const settings = next(current, kept);
      if (settings === current.settings) return current;
      checkSettings(settings);
      return { version: current.version + 1, updatedAt: new Date().toISOString(), settings };
    });
  }
}
