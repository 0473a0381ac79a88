import type { StorageEngine } from '@pelorus/engine';
import type { FastifyInstance } from 'fastify';
import type { NoBackups } from './backups/backup-handlers.js';
import { BackupWork } from './backups/backup-work.js';
import { type Backups, Schedule } from './backups/index.js';
import { beginRestore, openServerData, requireIndexes } from './backups/server-data.js';
import type { Services } from './call.js';
import type { Config } from './config.js';
import { JudgementSets } from './judgements/judgement-sets.js';
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

type Given = Omit<Services, 'definitions' | 'indexChanges' | 'cursors' | 'backups' | 'judgements'> & {
  /** Absent where no place of backups is set. */
  readonly backups: Backups | undefined;
  readonly warn: (text: string) => void;
};

export function servicesOf({ backups, warn, ...parts }: Given): Services {
  const { engine, inference, config, host, version } = parts;
  const bytesMax = host.processMemory().budgetBytes * RANKINGS_SHARE;
  const indexChanges = new IndexChangeLock(config.lockTimeoutSeconds * 1000);
  const data = { engine, config, indexChanges };
  const none: NoBackups = config.engine === 'opensearch' ? 'cluster' : 'unset';
  return {
    ...parts,
    definitions: new Definitions(engine, inference),
    indexChanges,
    judgements: new JudgementSets(config.dataDir),
    backups:
      backups === undefined
        ? none
        : new BackupWork({
            ...{ backups, version, warn },
            requireIndexes: (names) => requireIndexes(engine, names),
            open: (names) => openServerData(data, names),
            restore: (name) => beginRestore(data, name),
          }),
    cursors: new Cursors(
      { countMax: READINGS_MAX, bytesMax, idleMs: READING_IDLE_MS, ageMs: READING_AGE_MS },
      sharedCursors(engine),
    ),
  };
}

/** Makes backups by the schedule of the settings while an app serves, and ends all work on backups with it. */
export function addBackups(
  app: FastifyInstance,
  { backupEverySeconds, backupKeep }: Pick<Config, 'backupEverySeconds' | 'backupKeep'>,
  work: BackupWork | NoBackups,
): void {
  if (typeof work === 'string') return;
  const schedule =
    backupEverySeconds === null
      ? null
      : new Schedule({
          everyMs: backupEverySeconds * 1000,
          last: async () => (await work.lastScheduled())?.getTime() ?? null,
          make: () => work.createScheduled(),
          tidy: () => work.retain(backupKeep),
          tell: (fault) => work.tellOfSchedule(fault),
        });
  app.addHook('onListen', async () => void schedule?.start());
  app.addHook('onClose', async () => {
    schedule?.stop();
    await work.close();
  });
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
