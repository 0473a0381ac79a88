import type { schemas } from '@pelorus/contract';
import { invalidArgument, truncated, UnprocessableError } from '@pelorus/contract';
import type { SettingsVersion } from '@pelorus/ecommerce';
import { originsExpected, readOriginPattern } from '../auth/origins.js';
import type { Handlers, JsonAnswer } from '../call.js';
import { cutoffProblems } from '../search/ordering.js';
import { expectedVersion } from '../validation/if-match.js';
import { type EcommerceServices, managedShop, shopOf } from './ecommerce-services.js';

type ShopSettingsOperation =
  | 'getShopSettings'
  | 'updateShopSettings'
  | 'listShopSettingsVersions'
  | 'rollBackShopSettings';

/** Operations on the settings by which shops search. */
export function shopSettingsHandlers(services: EcommerceServices): Pick<Handlers<'hosted'>, ShopSettingsOperation> {
  const { shops } = services;
  return {
    getShopSettings: (call) => answer(shops.settings(shopOf(services, call))),
    updateShopSettings: async (call) => {
      const shop = shopOf(services, call);
      const expected = expectedVersion(call.headers['if-match']);
      checkCutoffs(call.body);
      const change = { ...call.body, ...comparedOrigins(call.body) };
      return answer(await shops.changeSettings(shop, change, expected));
    },
    listShopSettingsVersions: (call) => ({
      body: { versions: [...shops.settingsVersions(managedShop(services, call))] },
    }),
    // A rollback opens a shop again whose newest settings cannot be read.
    rollBackShopSettings: async (call) => {
      const shop = managedShop(services, call);
      const expected = expectedVersion(call.headers['if-match']);
      return answer(await shops.rollBackSettings(shop, call.body.version, expected));
    },
  };
}

/** The origins of a change as they are compared with those of pages. */
function comparedOrigins({ allowedOrigins }: schemas.ShopSettings): Pick<schemas.ShopSettings, 'allowedOrigins'> {
  if (allowedOrigins == null) return {};
  const compared = allowedOrigins.map((origin, place) => {
    const pattern = readOriginPattern(origin);
    if (pattern !== undefined) return pattern;
    throw invalidArgument(`allowedOrigins[${place}] must be ${originsExpected}, but it is '${truncated(origin)}'`);
  });
  return { allowedOrigins: compared };
}

/** @throws UnprocessableError for a cut-off that no search may have */
function checkCutoffs({ relevanceCutoff, profiles }: schemas.ShopSettings): void {
  const all = [relevanceCutoff, ...Object.values(profiles ?? {}).map((profile) => profile.relevanceCutoff)];
  const problems = all.flatMap((cutoff) => (cutoff == null ? [] : [...cutoffProblems(cutoff, undefined)]));
  if (problems.length > 0) throw new UnprocessableError(problems);
}

function answer(settings: SettingsVersion): JsonAnswer {
  return { body: { ...settings }, headers: { etag: `"${settings.version}"` } };
}
