import type { engine, Problem } from '@pelorus/contract';
import { broken, brokenTogether } from '../validation/problems.js';
import { textProblems } from './field-queries.js';
import { asksForHighlights } from './lexical-highlights.js';
import type { hybridMethods, SearchMethod, SearchRequest } from './shape.js';

/** Members about words, which a search by a sparse vector does not have. */
const wordMembers = [
  ...(['prefix', 'typoTolerance', 'splitJoinTokens', 'decompound', 'phraseSlop', 'didYouMean'] as const),
  ...(['language', 'fieldWeights', 'stopWords', 'textRanking'] as const),
];
const hybridWordMembers = ['queryLexical', 'searchableAttributesLexical', 'lexicalOperand'] as const;

/** Rules between a sparse vector and other members: it stands in place of the words of a search. */
export function* sparseQueryProblems(
  request: SearchRequest,
  method: SearchMethod,
  { retrieval, ranking }: ReturnType<typeof hybridMethods>,
): Generator<Problem> {
  const { sparseQuery, hybridParameters } = request;
  if (sparseQuery == null) return;
  if (method === 'TENSOR') {
    yield brokenTogether(
      `sparseQuery can only be provided for 'LEXICAL' and 'HYBRID' search. Search method is ${method}.`,
    );
  }
  if (method === 'HYBRID' && retrieval === 'tensor' && ranking === 'tensor') {
    yield brokenTogether(
      "sparseQuery cannot be provided where words have no say: both retrievalMethod and rankingMethod are 'tensor'",
    );
  }
  if (method === 'LEXICAL' && request.q != null) {
    yield brokenTogether(
      'sparseQuery stands in place of Query(q) in a LEXICAL search, so that only one can be provided',
    );
  }
  const { indices, values } = sparseQuery;
  yield* textProblems('sparseQuery', sparseQuery, { indices, values });
  if (indices !== undefined && values !== undefined && indices.length !== values.length) {
    yield broken(
      ['body', 'sparseQuery', 'values'],
      `ensure there is one value for each index: received ${indices.length} indices and ${values.length} values`,
    );
  }
  const about = [
    ...wordMembers.filter((name) => request[name] != null),
    ...(asksForHighlights(request) ? ['lexicalHighlights'] : []),
    ...(method === 'LEXICAL' && request.searchableAttributes != null ? ['searchableAttributes'] : []),
    ...hybridWordMembers.filter((name) => hybridParameters?.[name] != null),
    ...(request.relevanceCutoff == null ? [] : ['relevanceCutoff']),
  ];
  for (const name of about) {
    yield brokenTogether(
      `'${name}' cannot be used with 'sparseQuery': it is about words, and a sparse vector has none`,
    );
  }
  const modifiers = request.scoreModifiers;
  const lists = [modifiers?.add_to_score, modifiers?.multiply_score_by];
  const names = lists.flatMap((list) => (list ?? []).map(({ field_name }) => field_name));
  if (names.some((name) => name.startsWith('marqo__score_bm25'))) {
    yield brokenTogether("scoreModifiers cannot name a score of BM25 with 'sparseQuery': a sparse vector has no words");
  }
}

/** The vector of the plan, null for words; that of a text has no entries yet. */
export function plannedSparse({ sparseQuery }: SearchRequest): engine.SparseQuery | null {
  if (sparseQuery == null) return null;
  const { fieldName, indices = [], values = [] } = sparseQuery;
  return { field: fieldName, indices, weights: values };
}
