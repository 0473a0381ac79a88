export {
  type ApiKey,
  effectiveScope,
  type KeyRecord,
  type KeyScope,
  keyScopes,
  type TrackingKey,
} from './key-record.js';
export {
  type FoundKey,
  type IssuedKey,
  type KeyProblem,
  KeyStore,
  type KeyStoreOptions,
  type ListedKey,
  type NewKey,
  type ResetKeys,
} from './key-store.js';
export { withoutKeySecrets } from './secret.js';
