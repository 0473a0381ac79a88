import { PelorusError } from '@pelorus/contract';
import type { Handlers } from '../call.js';
import { checkIndexName } from '../indexes/names.js';
import type { BackupWork } from './backup-work.js';

type BackupOperation = 'listBackups' | 'createBackup' | 'getBackup' | 'deleteBackup' | 'verifyBackup' | 'restoreBackup';

/** The answers of a server without a place of backups: its indexes are elsewhere, or nobody named a place. */
const NO_BACKUPS = {
  unset: 'This server has no place of backups: --backup-to names a folder or an s3:// bucket',
  cluster:
    'Indexes on a cluster are kept safe by snapshots of OpenSearch, which go to a repository of the cluster: see docs/cluster.md',
} as const;

export type NoBackups = keyof typeof NO_BACKUPS;

/**
 * Backups: made, read, restored and deleted.
 * @param work says why there is none where there is none
 */
export function backupHandlers(
  work: BackupWork | NoBackups,
): Pick<Handlers<'search'> & Handlers<'hosted'>, BackupOperation> {
  const known = (): BackupWork => {
    if (typeof work !== 'string') return work;
    throw new PelorusError('bad_request', NO_BACKUPS[work]);
  };
  return {
    listBackups: async () => ({ body: { place: known().place, backups: await known().list() } }),
    createBackup: async ({ body }) => ({ status: 202, body: { ...(await known().create(body?.indexes ?? null)) } }),
    getBackup: async ({ params }) => ({ body: { ...(await known().get(params.backupId)) } }),
    deleteBackup: async ({ params }) => {
      await known().remove(params.backupId);
      return { body: { acknowledged: true } };
    },
    verifyBackup: async ({ params }) => ({ status: 202, body: { ...(await known().verify(params.backupId)) } }),
    restoreBackup: async ({ params, body }) => {
      const name = body.as ?? body.indexName;
      checkIndexName(name);
      return { status: 202, body: { ...(await known().restore(params.backupId, body.indexName, name)) } };
    },
  };
}
