export { removeUnfinished, syncFolder, writeDurably } from './durable-file.js';
export { DamagedFileError, readSealed, type SealedForm, sealed, unsealed, writeSealed } from './sealed-file.js';
