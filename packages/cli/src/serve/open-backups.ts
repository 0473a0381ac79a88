import type { Backups } from '@pelorus/server/backups';
import type { Config } from '@pelorus/server/config';
import { backupsOf } from '../backup/backups-of-place.js';

/** The backups in the place of the settings; undefined where these name none. */
export async function openBackups(config: Config): Promise<Backups | undefined> {
  return config.backupTo === '' ? undefined : await backupsOf(config.backupTo, config);
}
