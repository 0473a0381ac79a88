import type { engine, Problem } from '@pelorus/contract';
import { broken, brokenTogether } from '../validation/problems.js';
import { namedFields } from './field-names.js';
import type { hybridMethods, SearchMethod, SearchRequest } from './shape.js';

/** Characters of a tag. */
const tagMax = 100;

/** Checks that a search which asks for highlights has words to mark. */
export function* lexicalHighlightProblems(
  request: SearchRequest,
  method: SearchMethod,
  { retrieval, ranking }: ReturnType<typeof hybridMethods>,
): Generator<Problem> {
  if (!asksForHighlights(request)) return;
  if (method === 'TENSOR') {
    yield brokenTogether(
      `lexicalHighlights can only be provided for 'LEXICAL' and 'HYBRID' search. Search method is ${method}.`,
    );
  }
  const { preTag, postTag } = plannedHighlights(request) ?? {};
  for (const [name, tag] of Object.entries({ preTag, postTag })) {
    if (tag === undefined || tag.length <= tagMax) continue;
    yield broken(['body', 'lexicalHighlights', name], `ensure this value has at most ${tagMax} characters`);
  }
  if (method === 'HYBRID' && retrieval === 'tensor' && ranking === 'tensor') {
    yield brokenTogether(
      "lexicalHighlights cannot be provided where words have no say: both retrievalMethod and rankingMethod are 'tensor'",
    );
  }
}

export function asksForHighlights({ lexicalHighlights }: SearchRequest): boolean {
  return lexicalHighlights != null && lexicalHighlights !== false;
}

/** The highlights of the plan, all defaults in. */
export function plannedHighlights({ lexicalHighlights }: SearchRequest): engine.LexicalHighlights | null {
  if (lexicalHighlights == null || lexicalHighlights === false) return null;
  const said = lexicalHighlights === true ? {} : lexicalHighlights;
  return {
    fields: namedFields(said.fields),
    fragmentSize: said.fragmentSize ?? 150,
    numberOfFragments: said.numberOfFragments ?? 1,
    preTag: said.preTag ?? '<em>',
    postTag: said.postTag ?? '</em>',
  };
}
