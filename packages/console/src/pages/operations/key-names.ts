import { t } from '../../strings/strings.js';

/**
 * Tells of names that a key is to reach and that nothing has yet: they may be of later, or misspelt.
 *
 * @param known the names of indexes and aliases; undefined until they are known
 */
export function nameDoubtOf(names: unknown, known: readonly string[] | undefined): string | undefined {
  if (known === undefined || !Array.isArray(names)) return undefined;
  const missing = names.map((name) => String(name).trim()).filter((name) => !known.includes(name));
  return missing.length === 0 ? undefined : t.operations.keyNamesUnknown([...new Set(missing)]);
}
