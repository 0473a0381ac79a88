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
  type KeySnapshot,
  KeyStore,
  type KeyStoreOptions,
  type Keys,
  type ListedKey,
  type NewKey,
  type ResetKeys,
} from './key-store.js';
export { KeyView } from './key-view.js';
export { withoutKeySecrets } from './secret.js';
