import type { Pelorus, types } from '@pelorus/client';

/** Tells whether an index can be searched by meaning; of what is not known it is taken to be so. */
export const hasMeaning = (
  settings: Pick<types.IndexSettingsResponse, 'model'> | undefined,
  stats: Pick<types.IndexStats, 'numberOfVectors'> | undefined,
): boolean => settings?.model !== 'no_model' && stats?.numberOfVectors !== 0;

/** Asks whether an index can be searched by meaning. @throws PelorusError */
export async function loadMeaning(client: Pelorus, name: string, signal: AbortSignal): Promise<boolean> {
  const index = client.index(name);
  const [settings, stats] = await Promise.all([index.settings({ signal }), index.stats({ signal })]);
  return hasMeaning(settings, stats);
}
