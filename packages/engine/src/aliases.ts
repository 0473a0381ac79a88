import type { EngineError } from './engine-error.js';

/** Most aliases of all indexes together. */
export const ALIASES_MAX = 1000;

/** The aliases of one moment. */
export interface AliasTable {
  /** The index that each alias stands for, by the alias. */
  readonly indexes: ReadonlyMap<string, string>;
  /** The reason that nobody knows which aliases there are, with its remedy; null where they are known. */
  readonly fault: string | null;
}

/** A change of one alias. */
export interface AliasChange {
  readonly alias: string;
  /** The index that it is to stand for; null removes it. */
  readonly index: string | null;
}

/** Other names of indexes. Calls of an engine take the names of indexes alone: its callers look an alias up before. */
export interface IndexAliases {
  /** The aliases of this moment, from memory: the same object until one of them changes. */
  now(): AliasTable;
  /**
   * Makes all of the changes, or none, durably; `now` answers with them from then on, in every thread at once. One at a
   * time, and while no index is created or dropped. Fails with `index_already_exists` for an alias of an index's name,
   * `alias_not_found` for the removal of one that is not there, `index_not_found` and `invalid_argument` for what is no
   * index or is an alias itself, and with `backend_data_parsing_error` where nobody knows which aliases there are.
   */
  change(changes: readonly AliasChange[]): Promise<void>;
}

/**
 * The aliases that changes make of others.
 * @throws EngineError as {@link IndexAliases.change}
 */
export function changedAliases(
  table: AliasTable,
  changes: readonly AliasChange[],
  indexNames: readonly string[],
): Map<string, string> {
  requireKnown(table);
  const changed = new Map(table.indexes);
  for (const { alias, index } of changes) {
    if (indexNames.includes(alias)) {
      throw failure('index_already_exists', `There is an index ${alias}, whose name no alias can have`);
    }
    if (index !== null) changed.set(alias, index);
    else if (!changed.delete(alias)) throw failure('alias_not_found', `Alias ${alias} not found`);
  }
  for (const { index } of changes) {
    if (index === null || indexNames.includes(index)) continue;
    if (changed.has(index)) {
      throw failure('invalid_argument', `${index} is an alias, and an alias stands for an index: name that one`);
    }
    throw failure('index_not_found', `Index ${index} not found`);
  }
  if (changed.size > ALIASES_MAX) {
    throw failure('bad_request', `There would be ${changed.size} aliases, and there may be ${ALIASES_MAX}`);
  }
  return changed;
}

/** @throws EngineError `index_already_exists` for a name that no new index can have, as it is an alias */
export function requireNoAlias(table: AliasTable, name: string): void {
  requireKnown(table);
  if (table.indexes.has(name))
    throw failure('index_already_exists', `${name} is an alias, whose name no index can have`);
}

/** @throws EngineError `index_has_alias` for an index that cannot be dropped, as an alias stands for it */
export function requireNoneStandsFor(table: AliasTable, index: string): void {
  requireKnown(table);
  const [alias, ...others] = aliasesOf(table, index);
  if (alias === undefined) return;
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  throw failure(
    'index_has_alias',
    `Index ${index} has the alias ${alias}${more}: point it at another index, or delete it, before this index`,
  );
}

/** The aliases that stand for an index, sorted. */
export function aliasesOf({ indexes }: AliasTable, index: string): string[] {
  return [...indexes].flatMap(([alias, of]) => (of === index ? [alias] : [])).sort();
}

/** @throws EngineError `backend_data_parsing_error` where nobody knows which aliases there are */
export function requireKnown({ fault }: AliasTable): void {
  if (fault !== null) throw failure('backend_data_parsing_error', fault);
}

function failure(code: string, message: string): EngineError {
  return Object.assign(new Error(message), { code });
}
