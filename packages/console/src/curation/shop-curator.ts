import { clientOfVersion } from '../server/session.js';
import type { Curator } from './curator.js';
import { changedSettings, choicesOf, type SettingsVersion, type ShopChoices } from './shop-choices.js';

interface Product {
  readonly _id: string;
  readonly productTitle?: unknown;
  readonly variantTitle?: unknown;
  readonly parentProductId?: unknown;
}

const HITS = 30;
const SHOWN = ['productTitle', 'variantTitle', 'parentProductId'];

export const shopPath = (name: string): string => `/api/v1/indexes/${encodeURIComponent(name)}`;

/** The choices about the searches of a shop: its settings have them. */
export function shopCurator(name: string): Curator {
  const path = `${shopPath(name)}/settings`;
  return {
    key: `shop ${name}`,
    places: 'inRow',
    isBrowsed: true,
    hasRules: false,
    load: async (client, signal) => choicesOf(await client.call<SettingsVersion>('GET', path, undefined, { signal })),
    change: async (before, change) => {
      const { settings } = before as ShopChoices;
      const client = clientOfVersion(before.version);
      return choicesOf(await client.call<SettingsVersion>('PATCH', path, changedSettings(settings, change)));
    },
    find: async (client, query, signal) => {
      const body = { limit: HITS, attributesToRetrieve: SHOWN, ...(query.trim() !== '' && { q: query }) };
      const { hits, totalHits = hits.length } = await client.call<{
        hits: readonly Product[];
        totalHits?: number;
      }>('POST', `${shopPath(name)}/search`, body, { signal });
      return {
        hits: hits.map(({ _id, productTitle, variantTitle, parentProductId }) => ({
          ...{ id: _id, title: String(productTitle ?? _id), details: String(variantTitle ?? '') },
          hiddenBy: String(parentProductId ?? _id),
        })),
        total: totalHits,
      };
    },
  };
}
