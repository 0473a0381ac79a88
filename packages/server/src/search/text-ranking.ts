import type { engine, Problem } from '@pelorus/contract';
import { broken, brokenTogether } from '../validation/problems.js';
import { checkFieldName } from './field-names.js';
import type { hybridMethods, SearchMethod, SearchRequest } from './shape.js';

const weightDefault = 0.5;
const candidatesDefault = 100;

/** Rules between the ranking by texts and other members: the words find and rank, and nothing else orders their hits. */
export function* textRankingProblems(
  { textRanking, sortBy, hybridParameters }: SearchRequest,
  method: SearchMethod,
  { retrieval, ranking }: ReturnType<typeof hybridMethods>,
): Generator<Problem> {
  if (textRanking == null || textRanking === false) return;
  if (sortBy != null) {
    yield brokenTogether("'textRanking' cannot be used with 'sortBy': hits have the order of the fields then");
  }
  if (method === 'HYBRID' && (retrieval === 'tensor') !== (ranking === 'tensor')) {
    yield brokenTogether(
      `'textRanking' is for words that find and rank: retrievalMethod is '${retrieval}', rankingMethod '${ranking}'`,
    );
  }
  if (hybridParameters?.secondPhaseModifier === true) {
    yield brokenTogether(
      "'textRanking' cannot be used with 'secondPhaseModifier': hits behind those that it changes are in no order by score",
    );
  }
  if (textRanking === true || textRanking.fieldOrder == null || textRanking.fields != null) return;
  yield broken(['body', 'textRanking', 'fieldOrder'], "fieldOrder needs 'fields', which are the order");
}

/** @throws PelorusError for the name of a field that none can have. */
export function checkOrderedFields({ textRanking }: SearchRequest): void {
  const fields = typeof textRanking === 'object' ? textRanking?.fields : null;
  for (const name of fields ?? []) checkFieldName(name);
}

/** The ranking by texts of the plan, null for none. */
export function plannedTextRanking({ textRanking }: SearchRequest): engine.TextRanking | null {
  if (textRanking == null || textRanking === false) return null;
  const { exactness, proximity, fieldOrder, fields, candidates } = textRanking === true ? {} : textRanking;
  return {
    exactness: exactness ?? weightDefault,
    proximity: proximity ?? weightDefault,
    fieldOrder: fieldOrder ?? weightDefault,
    fields: [...(fields ?? [])],
    candidates: candidates ?? candidatesDefault,
  };
}
