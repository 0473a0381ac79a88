export { isDiskFull, removeUnfinished, syncFolder, writeDurably } from './durable-file.js';
export { lockFolderForGood, tryWithFileLock, withBriefFileLock, withFileLock } from './file-lock.js';
export { Inventory } from './inventory.js';
export {
  DamagedFileError,
  type Generated,
  type Generations,
  neverOlder,
  readGenerated,
  readNewest,
  readSealed,
  type SealedForm,
  sealed,
  sealFault,
  sealOlder,
  unsealed,
  writeNext,
  writeSealed,
} from './sealed-file.js';
