import type { schemas } from '@pelorus/contract';
import type { StoredDefinition } from '@pelorus/engine';
import { withoutUrlSecretsIn } from '../http/url-secrets.js';

/** The settings as a client is shown them, from which the same index can be made again. */
export function shownSettings({ settings, resolved }: StoredDefinition): schemas.IndexSettingsResponse {
  const { textQueryPrefix, textChunkPrefix } = resolved;
  return withoutUrlSecretsIn({ ...settings, textQueryPrefix, textChunkPrefix });
}
