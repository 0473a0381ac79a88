import type { schemas } from '@pelorus/contract';
import type { HostedIndex } from '@pelorus/hosted';
import { INTERFACE_VERSION } from '../host/service-handlers.js';
import { definitionOf } from '../indexes/creation.js';
import { readSettings } from '../indexes/requested-settings.js';
import type { HostedServices } from './hosted-services.js';
import { recordOf } from './index-records.js';
import type { SearchCounts } from './search-counts.js';

/** The record of an index, to a client that calls this server by the address `base`. */
export type ReadRecord = (index: HostedIndex, base: string) => Promise<schemas.HostedIndexRecord>;

export function recordReader(services: HostedServices, searches: SearchCounts): ReadRecord {
  const { hosting, inference, config } = services;
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
      counts: await hosting.counts(index),
      searches: searches.of(index.id),
      endpoint: `${base}/e/${index.id}`,
      interfaceVersion: INTERFACE_VERSION,
      numbers: config.recordNumbers,
    });
}
