import type { API } from '@opensearch-project/opensearch';
import type { StoredDefinition } from '@pelorus/engine';
import { similarityScript } from '@pelorus/node';
import { MAPPING_VERSION } from './names.js';

/** Lucene's measures of nearness, by our spaces. */
const SPACE_TYPES: Readonly<Record<string, string>> = {
  'prenormalized-angular': 'innerproduct',
  dotproduct: 'innerproduct',
  angular: 'cosinesimil',
  euclidean: 'l2',
};

/** Older names of spaces, which `crates/hnsw` reads too. */
const OLDER_NAMES: Readonly<Record<string, string>> = {
  'prenormalized-anglar': 'prenormalized-angular',
  cosinesimil: 'angular',
  l2: 'euclidean',
};

const spaceOf = (name: string): string | undefined => SPACE_TYPES[OLDER_NAMES[name] ?? name];

/** The part of a mapping that is for us. */
export interface IndexMeta {
  readonly name: string;
  /** No other index has had it, not even one of the same name: suggestions belong to an index by it. */
  readonly id: string;
  /** The first definition as JSON, whose text is kept as it is. */
  readonly definition: string;
}

/** Begins facts that are later definitions, which indexes of earlier releases have. */
const DEFINITION_FACT = 'definition-';

/** An index as far as the cluster tells its definition. */
export interface DescribedIndex {
  readonly mapping: Mapping | undefined;
  readonly aliases: Readonly<
    Record<string, { readonly filter?: { readonly ids?: { readonly values?: readonly string[] } } }>
  >;
}

/** A mapping as far as it tells the definition of its index. */
export interface Mapping {
  readonly _meta?: { readonly pelorus?: IndexMeta };
  readonly properties?: {
    readonly facts?: { readonly properties?: Readonly<Record<string, { readonly value?: string }>> };
  };
}

/** A definition as JSON, with its number: 0 for the first one. */
export interface NumberedDefinition {
  readonly json: string;
  readonly number: number;
}

/** The alias that stands for a definition of an index with this alias: an index has the one of its last definition. */
const definitionAlias = (alias: string, number: number): string => `${alias}.d${number}`;

/** Returns the definition of an index that counts, which is the one of the highest number. */
export function definitionOf({ definition }: IndexMeta, { mapping, aliases }: DescribedIndex): NumberedDefinition {
  let latest = { json: definition, number: 0 };
  const consider = (json: string | undefined, number: number) => {
    if (json !== undefined && number > latest.number) latest = { json, number };
  };
  for (const [name, { value }] of Object.entries(mapping?.properties?.facts?.properties ?? {}))
    if (name.startsWith(DEFINITION_FACT)) consider(value, Number(name.slice(DEFINITION_FACT.length)));
  for (const [name, { filter }] of Object.entries(aliases)) {
    const [, number] = /\.d(\d+)$/.exec(name) ?? [];
    consider(filter?.ids?.values?.[0], Number(number ?? 0));
  }
  return latest;
}

/** The body that gives an index of an earlier release the alias of its definition. */
export function markedDefinition(index: string, alias: string, number: number): API.Indices_UpdateAliases_RequestBody {
  return { actions: [{ add: { index, alias: definitionAlias(alias, number) } }] };
}

/**
 * The body that puts a definition, as JSON, in the place of that with the number `before`: both or nothing. The manager
 * refuses it where that is not there any more, so that neither two servers at once nor a copy that comes late, as one that
 * a node held which hung, undo anything. An alias alone is replaced so: fields of a mapping stay, and `_meta` and documents
 * are read and written by the side of others. The text is that of a filter, which nobody searches by.
 */
export function replacedDefinition(
  index: string,
  alias: string,
  { json, before }: { readonly json: string; readonly before: number },
): API.Indices_UpdateAliases_RequestBody {
  const filter = { ids: { values: [json] } };
  return {
    actions: [
      { remove: { index, alias: definitionAlias(alias, before), must_exist: true } },
      { add: { index, alias: definitionAlias(alias, before + 1), filter } },
    ],
  };
}

/** Tells whether an index has the alias of a definition. */
export const hasDefinitionAlias = ({ aliases }: DescribedIndex, alias: string, number: number): boolean =>
  definitionAlias(alias, number) in aliases;

/** The mapping of the tokens of a text field. */
const WORDS_MAPPING = {
  type: 'text',
  analyzer: 'pelorus_places',
  similarity: 'pelorus',
  // As `crates/lexical` has the texts of a list.
  position_increment_gap: 1,
} as const;

/** The fields that documents have and a mapping does not, as `ClusterWrite.lacking` gives them. */
export interface LackingFields {
  /** Names of nested fields. */
  readonly tensors: readonly string[];
  /** Names within `words`. */
  readonly words: readonly string[];
  /** Facts, by their names, each as a field of the mapping. */
  readonly facts: Readonly<Record<string, API.Indices_PutMapping_RequestBody>>;
}

/** The body that adds fields to a mapping. */
export function addedFields(
  definition: StoredDefinition,
  { tensors, words, facts }: LackingFields,
): API.Indices_PutMapping_RequestBody {
  const chunks = chunksMapping(definition);
  const properties: Record<string, object> = Object.fromEntries(tensors.map((name) => [name, chunks]));
  if (words.length > 0)
    properties.words = { properties: Object.fromEntries(words.map((name) => [name, WORDS_MAPPING])) };
  properties.facts = { properties: facts };
  return { properties } as API.Indices_PutMapping_RequestBody;
}

/** The body that creates an index. */
export function indexBody(
  name: string,
  id: string,
  definition: StoredDefinition,
  alias: string,
  copies: { readonly shards: number; readonly replicas: number },
): API.Indices_Create_RequestBody {
  // The client's types know no similarity with a name of its own.
  const similarity: object = { pelorus: { type: 'scripted', script: { source: similarityScript() } } };
  const meta: IndexMeta = { name, id, definition: JSON.stringify(definition) };
  return {
    aliases: { [alias]: { is_write_index: true }, [definitionAlias(alias, 0)]: {} },
    settings: {
      index: {
        knn: true,
        number_of_shards: copies.shards,
        number_of_replicas: copies.replicas,
        // Searches are as deep as `crates/opensearch` asks, and lists of filters as long as the options of the engine say.
        max_result_window: 100_000,
        max_terms_count: 1_000_000,
        // Text and tensor fields of an unstructured index are some fields of the mapping each. The options of the engine
        // bound them.
        mapping: { total_fields: { limit: 20_000 }, nested_fields: { limit: 5_000 } },
        similarity,
        analysis: {
          // Tokens come as `crates/lexical` makes them: places between blanks, forms of one place between U+0001.
          tokenizer: { pelorus_places: { type: 'whitespace', max_token_length: 10_000 } },
          filter: {
            pelorus_forms: { type: 'pattern_capture', preserve_original: false, patterns: ['([^\\u0001]+)'] },
          },
          analyzer: { pelorus_places: { type: 'custom', tokenizer: 'pelorus_places', filter: ['pelorus_forms'] } },
        },
      },
    },
    mappings: {
      dynamic: 'strict',
      _meta: metaBody(meta),
      dynamic_templates: [
        {
          words: {
            path_match: 'words.*',
            mapping: WORDS_MAPPING,
          },
        },
      ],
      properties: {
        id: { type: 'keyword', index: false, doc_values: false },
        stored: { type: 'binary' },
        values: { type: 'keyword', doc_values: false },
        // Read by scripts: see `packed.rs`.
        points: { type: 'binary', doc_values: true },
        sparse: { type: 'binary', doc_values: true },
        words: { type: 'object', dynamic: 'true' },
        sources: { type: 'object', enabled: false },
        // No document has any: see `facts.rs`.
        facts: { type: 'object', dynamic: 'false' },
      },
    },
  };
}

/** The whole `_meta` of a mapping, in whose place the cluster puts another one. */
export function metaBody(meta: IndexMeta): { readonly [member: string]: unknown } {
  return { version: MAPPING_VERSION, pelorus: meta };
}

/** The mapping of the chunks of a tensor field, a nested document each. */
export function chunksMapping({ settings, resolved }: StoredDefinition): object {
  const { spaceType, parameters } = settings.annParameters;
  return {
    type: 'nested',
    properties: {
      text: { type: 'keyword', index: false, doc_values: false },
      vector: {
        type: 'knn_vector',
        dimension: resolved.dimensions,
        method: {
          name: 'hnsw',
          engine: 'lucene',
          space_type: spaceOf(spaceType),
          parameters: { m: Math.max(parameters.m, 2), ef_construction: parameters.efConstruction },
        },
      },
    },
  };
}
