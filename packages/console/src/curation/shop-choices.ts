import { type Arrangement, inRow, isSameQuery, NO_ARRANGEMENT } from './arrangement.js';
import type { Change, Choices, Synonyms } from './curator.js';

/** The settings of a shop, as far as the console changes them. */
export interface ShopSettings {
  readonly customerId?: string | null;
  readonly pins?: readonly { readonly query: string; readonly documentIds: readonly string[] }[] | null;
  readonly hidden?: readonly { readonly query: string; readonly productIds: readonly string[] }[] | null;
  readonly redirects?: readonly { readonly query: string; readonly url: string }[] | null;
  readonly synonyms?: readonly Synonyms[] | null;
}

export interface SettingsVersion {
  readonly version: number;
  readonly settings: ShopSettings;
}

/** The choices about the searches of a shop, together with its settings. */
export interface ShopChoices extends Choices {
  readonly settings: ShopSettings;
}

/** The choices that settings are. */
export function choicesOf({ version, settings }: SettingsVersion): ShopChoices {
  const queries: { query: string; arrangement: Arrangement }[] = [];
  for (const { query } of [...(settings.pins ?? []), ...(settings.hidden ?? []), ...(settings.redirects ?? [])]) {
    if (queries.some((one) => isSameQuery(one.query, query))) continue;
    queries.push({ query, arrangement: arrangementOf(settings, query) });
  }
  return { version, settings, queries, synonyms: settings.synonyms ?? [], others: [], ids: [] };
}

/** The first of several entries about one query counts; what several hide is hidden together. */
function arrangementOf({ pins, hidden, redirects }: ShopSettings, query: string): Arrangement {
  const ids = pins?.find((one) => isSameQuery(one.query, query))?.documentIds ?? [];
  const redirect = redirects?.find((one) => isSameQuery(one.query, query))?.url;
  return {
    ...NO_ARRANGEMENT,
    hidden: (hidden ?? []).filter((one) => isSameQuery(one.query, query)).flatMap(({ productIds }) => productIds),
    pinned: inRow(ids.map((id) => ({ id, position: 0 }))),
    redirect: redirect ?? '',
  };
}

/** The members of the settings that a change changes. */
export function changedSettings({ pins, hidden, redirects }: ShopSettings, change: Change): ShopSettings {
  if ('synonyms' in change) return { synonyms: listOrNull(change.synonyms) };
  if ('without' in change || 'rule' in change || 'searchDefaults' in change) return {};
  const { query, arrangement } = change;
  const documentIds = arrangement.pinned.map(({ id }) => id);
  const { redirect: url, hidden: productIds } = arrangement;
  return {
    pins: replaced(pins, query, documentIds.length === 0 ? undefined : { query, documentIds }),
    hidden: replaced(hidden, query, productIds.length === 0 ? undefined : { query, productIds }),
    redirects: replaced(redirects, query, url === '' ? undefined : { query, url }),
  };
}

/** The entries with another one about a query, at the place of the former; undefined takes it out. */
function replaced<Entry extends { readonly query: string }>(
  entries: readonly Entry[] | null | undefined,
  query: string,
  entry: Entry | undefined,
): readonly Entry[] | null {
  const all = entries ?? [];
  const at = all.findIndex((one) => isSameQuery(one.query, query));
  const others = all.filter((one) => !isSameQuery(one.query, query));
  if (entry === undefined) return listOrNull(others);
  return at < 0 ? [...all, entry] : others.toSpliced(at, 0, entry);
}

const listOrNull = <Entry>(entries: readonly Entry[]): readonly Entry[] | null =>
  entries.length === 0 ? null : entries;
