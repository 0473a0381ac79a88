import type { schemas } from '@pelorus/contract';
import type { HostedIndex } from '@pelorus/hosted';
import { INTERFACE_VERSION } from '../handlers/service.js';
import { definitionOf } from '../indexes/creation.js';
import { readSettings } from '../indexes/requested-settings.js';
import type { HostedServices } from './hosted-services.js';
import { type IndexCounts, recordOf } from './index-records.js';
import type { SearchCounts } from './search-counts.js';

/** How long a record waits for what an index says of itself. */
const COUNTS_TIMEOUT_MS = 2_000;

/** The record of an index, to a client that calls this server by the address `base`. */
export type ReadRecord = (index: HostedIndex, base: string) => Promise<schemas.HostedIndexRecord>;

export function recordReader(services: HostedServices, searches: SearchCounts): ReadRecord {
  const { inference, config } = services;
  /** By the settings as they were asked for, which an index keeps for as long as it is there. */
  const known = new WeakMap<HostedIndex['settings'], schemas.IndexSettingsResponse>();
  const settingsOf = ({ name, settings: asked }: HostedIndex): schemas.IndexSettingsResponse => {
    const settings =
      known.get(asked) ?? definitionOf({ inference }, name, readSettings(structuredClone(asked))).settings;
    known.set(asked, settings);
    return settings;
  };
  return async (index, base) =>
    recordOf({
      index,
      settings: settingsOf(index),
      counts: await countsOf(services, index),
      searches: searches.of(index.id),
      endpoint: `${base}/e/${index.id}`,
      interfaceVersion: INTERFACE_VERSION,
      numbers: config.recordNumbers,
    });
}

/** An index that is busy or gone for now has a record without counts, and holds nobody up. */
async function countsOf({ hosting }: HostedServices, index: HostedIndex): Promise<IndexCounts | null> {
  if (!hosting.isServing(index)) return null;
  try {
    const signal = AbortSignal.timeout(COUNTS_TIMEOUT_MS);
    const { status, body } = await hosting.call(index.name, { operation: 'getIndexStats', signal });
    if (status !== 200) return null;
    const { numberOfDocuments, backend } = JSON.parse(body.toString('utf8')) as schemas.IndexStats;
    return { numberOfDocuments, memoryBytes: backend.memoryBytes ?? 0 };
  } catch {
    return null;
  }
}
