export { removeUnfinished, syncFolder, writeDurably } from './durable-file.js';
export { Inventory } from './inventory.js';
export {
  DamagedFileError,
  neverOlder,
  readSealed,
  type SealedForm,
  sealed,
  sealOlder,
  unsealed,
  writeSealed,
} from './sealed-file.js';
