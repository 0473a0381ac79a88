import type { StorageEngine } from '@pelorus/engine';
import type { Services } from './call.js';
import { Cursors, type SharedCursors } from './services/cursors.js';
import { Definitions } from './services/definition.js';
import { IndexChangeLock } from './services/index-change-lock.js';
import { RankedPages, type SharedPages } from './services/ranked-pages.js';

/** Most readings that clients may have begun, and how long one is held when nobody reads on. */
const READINGS_MAX = { scan: 32, search: 256 };
const READING_IDLE_MS = 60_000;
/** Long enough for an export of some ten million documents. */
const READING_AGE_MS = 4 * 60 * 60_000;
/** Share of the memory budget that the rankings of searches may hold together. */
const RANKINGS_SHARE = 1 / 16;

export function servicesOf(parts: Omit<Services, 'definitions' | 'indexChanges' | 'cursors'>): Services {
  const { engine, inference, config, host } = parts;
  const bytesMax = host.processMemory().budgetBytes * RANKINGS_SHARE;
  return {
    ...parts,
    definitions: new Definitions(engine, inference),
    indexChanges: new IndexChangeLock(config.lockTimeoutSeconds * 1000),
    cursors: new Cursors(
      { countMax: READINGS_MAX, bytesMax, idleMs: READING_IDLE_MS, ageMs: READING_AGE_MS },
      sharedCursors(engine),
    ),
  };
}

/** The readings of other servers that have the same indexes; undefined where there are none. */
function sharedCursors({ sharedReadings: shared }: StorageEngine): SharedCursors | undefined {
  if (shared === undefined) return undefined;
  return {
    keep: (id, kept, ageMs) => shared.keep(id, kept, ageMs),
    find: (id) => shared.find(id),
    forget: (id) => shared.forget(id),
    resume: {
      scan: (index, scan) => shared.scan(index, scan),
      search: async (index, pages, wait) => {
        const { ranking, query, limit, area } = pages as SharedPages;
        const ranked = await shared.ranking(index, ranking, wait);
        return ranked && new RankedPages(ranked, Buffer.from(query), limit, area);
      },
    },
  };
}
