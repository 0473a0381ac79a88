export { Backups, type ListedBackup, type NewBackup, type Verification, type WorkProgress } from './backups.js';
export { filesOfOneMoment } from './data-files.js';
export { type BucketService, type Destination, openDestination, type StoredObject } from './destination.js';
export { bytesOf, type FileEntry, type IndexEntry, isId, type Manifest, type Piece } from './manifest.js';
export { PieceStore } from './piece-store.js';
export {
  type PieceWriting,
  RESTORING,
  type RestoringEngine,
  restoreIndex,
  restoreWhole,
} from './restoring.js';
export { type Clock, Schedule, type ScheduleOptions } from './schedule.js';
export {
  type OpenedFile,
  type OpenedIndex,
  type OpenedSource,
  openedIndex,
  type PieceReading,
} from './source.js';
