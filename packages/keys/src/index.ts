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
  KeyStore,
  type KeyStoreOptions,
  type ListedKey,
  type NewKey,
} from './key-store.js';
export { withoutKeySecrets } from './secret.js';
