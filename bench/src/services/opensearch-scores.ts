import { K } from './corpus.ts';
import type { Request } from './generator.ts';
import {
  HALF,
  type Modifier,
  membersOf,
  modifiersOf,
  NOW,
  SCALE_SECONDS,
  type ScoredDocument,
  type ScoreKind,
  type Scores,
} from './scored.ts';
import { json, single } from './service.ts';
import { httpRequest } from './wire.ts';

const INDEX = '/scored';
const FUNCTIONS = 'function_score';
const EXPRESSION = 'expression';
/** More fields than an index may have unless it is told so. */
const FIELDS_MAX = 2000;

/** Changed scores in OpenSearch: by functions, and by an expression of Lucene. */
export class OpenSearchScores implements Scores {
  readonly spellings = [FUNCTIONS, EXPRESSION];
  readonly #port: number;

  constructor(port: number) {
    this.#port = port;
  }

  async create(): Promise<void> {
    const number = { path_match: 'n*', mapping: { type: 'double', index: false } };
    await json(this.#port, 'PUT', INDEX, {
      settings: { index: { number_of_shards: 1, number_of_replicas: 0, 'mapping.total_fields.limit': FIELDS_MAX } },
      mappings: {
        dynamic_templates: [{ numbers: number }],
        properties: { text: { type: 'text', analyzer: 'english' }, time: { type: 'long' } },
      },
    });
  }

  addition(documents: readonly ScoredDocument[]): Request {
    const lines = documents.map((document) => `{"index":{"_id":"${document.id}"}}\n{${membersOf(document)}}\n`);
    return single(httpRequest('POST', `${INDEX}/_bulk?filter_path=errors`, lines.join(''), 'application/x-ndjson'));
  }

  async settle(): Promise<void> {
    await json(this.#port, 'POST', `${INDEX}/_forcemerge?max_num_segments=1`);
    await json(this.#port, 'POST', `${INDEX}/_refresh`);
  }

  search(kind: ScoreKind, word: string, spelling: string): Request {
    const match = { match: { text: word } };
    const query =
      kind === 'plain' ? match : spelling === EXPRESSION ? byExpression(kind, match) : byFunctions(kind, match);
    const page = { size: K, _source: false, docvalue_fields: ['time'], track_total_hits: false };
    return single(httpRequest('POST', `${INDEX}/_search`, JSON.stringify({ query, ...page })));
  }
}

function byFunctions(kind: ScoreKind, query: object): object {
  if (kind === 'recency') {
    const exp = { time: { origin: NOW, scale: SCALE_SECONDS, decay: HALF } };
    return { function_score: { query, functions: [{ exp }], boost_mode: 'multiply' } };
  }
  const { multiply, add } = modifiersOf(kind);
  const functions = (modifiers: readonly Modifier[]) =>
    modifiers.map(({ field, weight }) => ({ field_value_factor: { field, factor: weight } }));
  const score = (inner: object, modifiers: readonly Modifier[], mode: string) => ({
    function_score: { query: inner, functions: functions(modifiers), score_mode: mode, boost_mode: mode },
  });
  const multiplied = score(query, multiply, 'multiply');
  return add.length === 0 ? multiplied : score(multiplied, add, 'sum');
}

function byExpression(kind: ScoreKind, query: object): object {
  const script_score = { script: { lang: 'expression', source: sourceOf(kind) } };
  return { function_score: { query, functions: [{ script_score }], boost_mode: 'replace' } };
}

function sourceOf(kind: ScoreKind): string {
  if (kind === 'recency') {
    const rate = Math.log(HALF) / SCALE_SECONDS;
    return `_score * exp(${rate} * max(0, ${NOW} - doc['time'].value))`;
  }
  const { multiply, add } = modifiersOf(kind);
  const term = ({ field, weight }: Modifier) => `${weight} * doc['${field}'].value`;
  return [['_score', ...multiply.map(term)].join(' * '), ...add.map(term)].join(' + ');
}
