// Stands for better-sqlite3 in an installed Pelorus: the same files, from a package that has them for this platform
// alone. A clone has better-sqlite3 itself.
import { loadPlatformPackage, platformName } from '@pelorus/node/platform';

const PREFIX = '@pelorus/sqlite';

const name = `${PREFIX}-${platformName()}`;

/** The database; one that is not there, or does not load, fails as a file is opened: without events all is well. */
function load() {
  try {
    return loadPlatformPackage(PREFIX, name) ?? absent(missing);
  } catch (cause) {
    return absent(() => damaged(cause));
  }
}

function absent(failure) {
  return class AbsentDatabase {
    static SqliteError = class SqliteError extends Error {};

    constructor() {
      throw failure();
    }
  };
}

function missing() {
  const message =
    `no SQLite for ${process.platform} ${process.arch}: the package ${name} is not installed. ` +
    'Install it in the version of pelorus';
  return Object.assign(new Error(message), { code: 'sqlite_missing' });
}

function damaged(cause) {
  const message =
    `the SQLite of the package ${name} does not load: ${cause.message}. Install the package anew, in the ` +
    'version of pelorus';
  return Object.assign(new Error(message, { cause }), { code: 'sqlite_damaged' });
}

export default load();
