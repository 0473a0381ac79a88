import type { Pelorus } from '@pelorus/client';
import { clientOfVersion } from '../server/session.js';
import type { Curator, Found, FoundHit } from './curator.js';
import { changedSettings, choicesOf, type SettingsVersion, type ShopChoices } from './shop-choices.js';

interface Product {
  readonly _id: string;
  readonly productTitle?: unknown;
  readonly variantTitle?: unknown;
  readonly parentProductId?: unknown;
}

const HITS = 30;
const SOUGHT = 10;
/** The most ids that one call takes. */
const IDS_MAX = 100;
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
    find: (client, query, signal) => searched(client, name, query, HITS, signal),
    seek: async (client, text, signal) => {
      const [named, { hits }] = await Promise.all([
        productsOf(client, name, [text], signal),
        searched(client, name, text, SOUGHT, signal),
      ]);
      const ids = new Set(named.map(({ _id }) => _id));
      return [...named.map(foundHit), ...hits.filter(({ id }) => !ids.has(id))];
    },
    titlesOf: async (client, ids, signal) => {
      const products = await productsOf(client, name, ids, signal);
      return new Map(products.map((product) => [product._id, foundHit(product).title]));
    },
  };
}

async function searched(
  client: Pelorus,
  name: string,
  query: string,
  limit: number,
  signal: AbortSignal,
): Promise<Found> {
  const body = { limit, attributesToRetrieve: SHOWN, ...(query.trim() !== '' && { q: query }) };
  const path = `${shopPath(name)}/search`;
  const answer = await client.call<{ hits: readonly Product[]; totalHits?: number }>('POST', path, body, { signal });
  return { hits: answer.hits.map(foundHit), total: answer.totalHits ?? answer.hits.length };
}

/** Those products of some ids that are there. */
async function productsOf(
  client: Pelorus,
  name: string,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<readonly Product[]> {
  const body = { documentIds: ids.slice(0, IDS_MAX) };
  const path = `${shopPath(name)}/get-documents`;
  const { results } = await client.call<{ results: readonly (Product & { _found?: boolean })[] }>('POST', path, body, {
    signal,
  });
  return results.filter(({ _found }) => _found === true);
}

function foundHit({ _id, productTitle, variantTitle, parentProductId }: Product): FoundHit {
  return {
    ...{ id: _id, title: String(productTitle ?? _id), details: String(variantTitle ?? '') },
    hiddenBy: String(parentProductId ?? _id),
  };
}
