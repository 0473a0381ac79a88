// Stands for better-sqlite3 in an installed Pelorus: the same files, from a package that has them for this platform
// alone. A clone has better-sqlite3 itself.
import { loadPlatformPackage, platformName } from '@pelorus/node/platform';

const PREFIX = '@pelorus/sqlite';

/** Fails as a file is opened and not before: a server that keeps no events serves all the same. */
class AbsentDatabase {
  static SqliteError = class SqliteError extends Error {};

  constructor() {
    const message =
      `no SQLite for ${process.platform} ${process.arch}: the package ${PREFIX}-${platformName()} is not installed. ` +
      'Install it in the version of pelorus';
    throw Object.assign(new Error(message), { code: 'sqlite_missing' });
  }
}

export default loadPlatformPackage(PREFIX) ?? AbsentDatabase;
