import type { schemas } from '@pelorus/contract';
import type { StoredDefinition } from '@pelorus/engine';
import { withoutUrlSecretsIn } from '../http/url-secrets.js';

/** What a client is shown, from which the same index can be made again. */
export function shownSettings({ settings, resolved }: StoredDefinition): schemas.IndexSettingsResponse {
  const { textQueryPrefix, textChunkPrefix } = resolved;
  return withoutUrlSecretsIn({ ...settings, textQueryPrefix, textChunkPrefix });
}
