export {
  type ApiKey,
  effectiveScope,
  type KeyRecord,
  type KeyScope,
  keyScopes,
  type TrackingKey,
} from './key-record.js';
export { KeyStore, type KeyStoreOptions, type ResetKeys } from './key-store.js';
export { KeyView } from './key-view.js';
export type {
  FoundKey,
  IssuedKey,
  KeyProblem,
  KeySnapshot,
  Keys,
  ListedKey,
  ManagedKeys,
  NewKey,
} from './keys.js';
export { withoutKeySecrets } from './secret.js';
export { type KeyRecords, SharedKeyStore, type SharedRecord } from './shared-key-store.js';
