// Stands for better-sqlite3 in an installed Pelorus: the same files, from a package that has them for this platform
// alone. A clone has better-sqlite3 itself.
import { loadPlatformPart } from '@pelorus/node/platform';

const part = { prefix: '@pelorus/sqlite', title: 'SQLite', code: 'sqlite' };

/** One that is not there fails as a file is opened. */
export default loadPlatformPart(
  part,
  (failure) =>
    class AbsentDatabase {
      static SqliteError = class SqliteError extends Error {};

      constructor() {
        throw failure();
      }
    },
);
