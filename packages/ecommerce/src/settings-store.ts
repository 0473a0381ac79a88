import { isDeepStrictEqual } from 'node:util';
import { PelorusError, versionNotKept } from '@pelorus/contract';
import { changedSettings, type Settings } from './settings.js';
import { checkSettings } from './settings-rules.js';
import type { LearnedNote, SettingsVersion, SettingsVersions } from './settings-versions.js';

/** The settings of one shop, with the versions that are kept. */
export class SettingsStore {
  readonly #versions: SettingsVersions;

  constructor(versions: SettingsVersions) {
    this.#versions = versions;
  }

  /** The reason that there are none; null where there are. */
  get fault(): string | null {
    return this.#versions.fault;
  }

  /** @throws PelorusError `backend_data_parsing_error` where they cannot be read */
  get current(): SettingsVersion {
    return this.#versions.newest;
  }

  /** Newest first: those that can be read. */
  get versions(): readonly SettingsVersion[] {
    return this.#versions.kept;
  }

  /**
   * Replaces the members that `change` has. Where that changes nothing, the version that is there stays the newest.
   * @param expected the version that is to be changed; any where null
   * @param learned the comparison that it follows from; absent where somebody made it
   * @throws PelorusError `version_conflict`; `invalid_argument` for settings that cannot be
   */
  change(change: Settings, expected: number | null, learned?: LearnedNote): Promise<SettingsVersion> {
    const next = ({ settings }: SettingsVersion) => {
      const changed = changedSettings(settings, change);
      return isDeepStrictEqual(changed, settings) ? settings : changed;
    };
    return this.#append(expected, next, learned);
  }

  /**
   * Makes an earlier version the newest, as one more; the newest itself stays as it is. Where that cannot be read, this is
   * how the shop is opened again.
   * @throws PelorusError `version_conflict`; `invalid_argument` for a version that is not kept
   */
  async rollBack(version: number, expected: number | null): Promise<SettingsVersion> {
    const earlier = () => this.#kept(version);
    if (this.fault === null) return await this.#append(expected, earlier);
    return await this.#versions.repair((newest) => {
      if (expected !== null && expected !== newest) throw conflict(newest, expected);
      return versionOf(newest + 1, earlier());
    });
  }

  #kept(version: number): Settings {
    const earlier = this.versions.find((one) => one.version === version);
    if (earlier === undefined) throw versionNotKept(version, this.versions);
    return earlier.settings;
  }

  #append(
    expected: number | null,
    next: (current: SettingsVersion) => Settings,
    learned?: LearnedNote,
  ): Promise<SettingsVersion> {
    return this.#versions.append((current) => {
      if (expected !== null && expected !== current.version) throw conflict(current.version, expected);
      const settings = next(current);
      if (settings === current.settings) return current;
      checkSettings(settings);
      return { ...versionOf(current.version + 1, settings), ...(learned !== undefined && { learned }) };
    });
  }
}

function conflict(current: number, expected: number): PelorusError {
  return new PelorusError('version_conflict', `The settings are of version ${current}, not ${expected}`);
}

function versionOf(version: number, settings: Settings): SettingsVersion {
  return { version, updatedAt: new Date().toISOString(), settings };
}
