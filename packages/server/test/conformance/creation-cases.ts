import type { Case, Expected } from './case.js';
import { noIndex } from './errors.js';
import { create, hasSettings, nameAfter, small, unstructuredDefaults } from './indexes.js';

/** A creation that is refused, and leaves nothing behind. */
export const refused = (
  section: string,
  about: string,
  settings: unknown,
  expected: Expected,
  name = 'refused',
): Case => ({
  section,
  about,
  exchanges: [
    { request: `POST /indexes/${name}`, body: settings, ...expected },
    { request: `GET /indexes/${name}/settings`, ...noIndex(decodeURIComponent(name)) },
  ],
});

/** A creation that is accepted, and the settings that come of it. */
export const accepted = (section: string, about: string, settings: unknown, stored: object): Case => {
  const name = nameAfter(about);
  return { section, about, exchanges: [create(name, settings), hasSettings(name, stored)] };
};

export const withDefaults = (settings: object) => ({ ...unstructuredDefaults, ...settings });

/** Members that are echoed as they were given. */
export const echoed = (section: string, about: string, settings: object) =>
  accepted(section, about, { ...small, ...settings }, withDefaults(settings));
