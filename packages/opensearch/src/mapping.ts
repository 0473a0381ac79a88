import type { API } from '@opensearch-project/opensearch';
import type { StoredDefinition } from '@pelorus/engine';
import { engineError } from './errors.js';
import { MAPPING_VERSION } from './names.js';

/** Okapi BM25's parameters, which are those of `crates/lexical`. */
const [K1, B] = [1.2, 0.75];

/**
 * The part of BM25 that depends on the document; the boost of a clause is the rest, by the documents of all shards.
 * Their own similarity would count those of a shard.
 */
const SIMILARITY =
  'double average = (double) field.sumTotalTermFreq / field.docCount; ' +
  `return query.boost * ${K1 + 1} * doc.freq / (doc.freq + ${K1} * (${1 - B} + ${B} * doc.length / average));`;

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
  /** The definition as JSON: text is kept as it is, and objects are merged. */
  readonly definition: string;
}

/**
 * Refuses definitions whose vectors Lucene has no graph for.
 * @throws EngineError
 */
export function checkDefinition({ settings, resolved }: StoredDefinition): void {
  const { spaceType } = settings.annParameters;
  if (spaceOf(spaceType) === undefined) {
    const expected = Object.keys(SPACE_TYPES).join(', ');
    throw engineError('invalid_argument', `spaceType: an OpenSearch cluster has ${expected}, not ${spaceType}`);
  }
  const numbers = settings.vectorNumericType;
  if (numbers !== undefined && numbers !== 'float')
    throw engineError('invalid_argument', `vectorNumericType: an OpenSearch cluster has float, not ${numbers}`);
  if (resolved.dimensions < 1 || resolved.dimensions > 4096)
    throw engineError('invalid_argument', `dimensions: vectors have 1 to 4096 numbers, not ${resolved.dimensions}`);
}

/** The body that creates an index. */
export function indexBody(
  name: string,
  definition: StoredDefinition,
  alias: string,
  copies: { readonly shards: number; readonly replicas: number },
): API.Indices_Create_RequestBody {
  // The client's types know no similarity with a name of its own.
  const similarity: object = { pelorus: { type: 'scripted', script: { source: SIMILARITY } } };
  const meta: IndexMeta = { name, definition: JSON.stringify(definition) };
  return {
    aliases: { [alias]: { is_write_index: true } },
    settings: {
      index: {
        knn: true,
        number_of_shards: copies.shards,
        number_of_replicas: copies.replicas,
        // Text fields of an unstructured index, each of which is one of the mapping, and those of chunks.
        mapping: { total_fields: { limit: 5_000 } },
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
      _meta: { version: MAPPING_VERSION, pelorus: meta },
      dynamic_templates: [
        {
          words: {
            path_match: 'words.*',
            mapping: {
              type: 'text',
              analyzer: 'pelorus_places',
              similarity: 'pelorus',
              position_increment_gap: 100,
            },
          },
        },
      ],
      properties: {
        id: { type: 'keyword', index: false, doc_values: false },
        stored: { type: 'binary' },
        values: { type: 'keyword', doc_values: false },
        words: { type: 'object', dynamic: 'true' },
        sources: { type: 'object', enabled: false },
      },
    },
  };
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
