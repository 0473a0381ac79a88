import { normalizedQuery, type schemas, synonymsOfQuery } from '@pelorus/contract';

/** The settings by which a shop searches. A member that is null has its default. */
export type Settings = schemas.ShopSettings;
export type Profile = schemas.ShopProfile;

/** Every member, as it is until somebody sets it. */
export const defaultSettings: Settings = {
  searchableFields: null,
  fieldWeights: null,
  alpha: null,
  facetFields: null,
  sortFields: null,
  collapseField: 'parentProductId',
  defaultFilter: null,
  relevanceCutoff: null,
  synonyms: null,
  redirects: null,
  pins: null,
  hidden: null,
  boosts: null,
  profiles: null,
  suggestions: null,
  publicFields: null,
  requireApiKey: false,
  allowedOrigins: null,
  learnsWeights: false,
  customerId: null,
};

/** The settings after a change: members that are null go back to their defaults. */
export function changedSettings(settings: Settings, change: Settings): Settings {
  const changed = { ...settings, ...change };
  return Object.fromEntries(
    Object.entries(changed).map(([name, value]) => [name, value ?? defaultSettings[name as keyof Settings]]),
  );
}

/**
 * The parts of the settings that say how to search, each with its place: the settings themselves, and each of their
 * profiles.
 */
export function profilesOf(settings: Settings): { readonly path: string; readonly profile: Profile }[] {
  const named = Object.entries(settings.profiles ?? {});
  return [{ path: '', profile: settings }, ...named.map(([name, profile]) => ({ path: `profiles.${name}.`, profile }))];
}

/** The settings of one search: those of a profile take the place of the shop's; one that is not known has none. */
export function settingsOf(settings: Settings, profileId: string | null | undefined): Settings {
  const profiles = settings.profiles ?? {};
  const profile: Profile = profileId != null && Object.hasOwn(profiles, profileId) ? (profiles[profileId] ?? {}) : {};
  const given = Object.entries(profile).filter(([, value]) => value !== null);
  return { ...settings, ...Object.fromEntries(given) };
}

/** The address to which shoppers who ask `query` are sent; null for none. */
export function redirectOf({ redirects }: Settings, query: string): string | null {
  return redirects?.find((redirect) => isQuery(redirect.query, query))?.url ?? null;
}

/** The products that come first for `query`. */
export function pinsOf({ pins }: Settings, query: string): readonly string[] {
  const ids = pins?.find((pin) => isQuery(pin.query, query))?.documentIds ?? [];
  return [...new Map(ids.map((id) => [id.normalize(), id])).values()];
}

/** The parent products that are left out for `query`. */
export function hiddenOf({ hidden }: Settings, query: string): readonly string[] {
  return (hidden ?? []).filter((one) => isQuery(one.query, query)).flatMap(({ productIds }) => productIds);
}

/** The numbers of products that change their scores for `query`. */
export function boostsOf({ boosts }: Settings, query: string): { field_name: string; weight: number }[] {
  return (boosts ?? [])
    .filter((boost) => boost.query == null || isQuery(boost.query, query))
    .map(({ fieldName, weight }) => ({ field_name: fieldName, weight }));
}

/** The terms to look for besides `query` among the words of products. */
export function synonymsOf({ synonyms }: Settings, query: string): string[] {
  return synonyms == null ? [] : synonymsOfQuery(synonyms, query);
}

function isQuery(known: string, query: string): boolean {
  return normalizedQuery(known) === normalizedQuery(query);
}
