import type { engine, Problem, schemas } from '@pelorus/contract';
import { echoed, truncated } from '@pelorus/contract';
import { broken } from '../validation/problems.js';
import { speltName } from '../validation/spelling.js';
import { distanceName } from './distance-name.js';
import { fieldNameLengthMax, isReservedName } from './field-names.js';

export type SortBy = schemas.SortBy;
export type RelevanceCutoff = schemas.RelevanceCutoff;

const probeDepthDefault = 1000;

/** A field, or the entry of a map behind a point. */
const sortableName = /^[A-Za-z_][A-Za-z0-9_]*(\..+)?$/s;

export function* sortProblems({ fields }: SortBy): Generator<Problem> {
  yield* sortNameProblems(fields, ['body', 'sortBy']);
  for (const [i, { fieldName, from, type }] of fields.entries()) {
    if (from == null) continue;
    const place = ['body', 'sortBy', 'fields', i] as const;
    if (fieldName.includes('.')) {
      const text = `Invalid field name '${truncated(fieldName)}'. An entry of a map is no geo point`;
      yield broken([...place, 'fieldName'], text);
    }
    if (type === 'date') yield broken([...place, 'type'], "'from' cannot be used with the type 'date'");
  }
}

/** The problems of the names of the `fields` of a sort at `place`. */
export function* sortNameProblems(
  fields: readonly { readonly fieldName: string }[],
  place: readonly (string | number)[],
): Generator<Problem> {
  for (const [i, field] of fields.entries()) {
    const problem = sortNameProblem(field.fieldName);
    if (problem === undefined) continue;
    const text = `Invalid field name '${truncated(field.fieldName)}'. ${problem}`;
    yield broken([...place, 'fields', i, speltName(field, 'fieldName')], text);
  }
}

export function sortNameProblem(name: string): string | undefined {
  if (name.length > fieldNameLengthMax) return `It has ${name.length} characters, of at most ${fieldNameLengthMax}`;
  if (name === '_id' || isReservedName(name)) return 'It is reserved: no document can be sorted by it';
  if (sortableName.test(name)) return;
  return 'A field to sort by has letters, digits and underscores, and begins with no digit; an entry of a map is map.key';
}

/**
 * @param count hits of the page
 * @param hasCutoff whether a cut-off says how many documents there are to sort; where nothing does the engine knows
 * how many, the same for every page
 */
export function plannedSort(sortBy: SortBy | null | undefined, count: number, hasCutoff: boolean): engine.Sort | null {
  if (sortBy == null) return null;
  const { fields, sortDepth, minSortCandidates } = sortBy;
  return {
    fields: fields.map(({ fieldName, from, type, order, missing }) => ({
      field: from == null ? fieldName : distanceName(fieldName, from),
      dates: type === 'date',
      descending: from == null ? order !== 'asc' : order === 'desc',
      missingFirst: missing === 'first',
    })),
    depth: sortDepth ?? null,
    candidates:
      hasCutoff || minSortCandidates == null ? (minSortCandidates ?? null) : Math.max(minSortCandidates, count),
  };
}

const methods = {
  relative_max_score: 'relativeMaxScore',
  gap_detection: 'gapDetection',
  mean_std_dev: 'meanStdDev',
} as const;

/** Rules on the members of relevanceCutoff; `retrieval` is the retrieval method that the request names, if it does. */
export function* cutoffProblems(cutoff: RelevanceCutoff, retrieval: string | null | undefined): Generator<Problem> {
  const { method, parameters, applyInRetrieval } = cutoff;
  const path = ['body', 'relevanceCutoff'];
  const { relativeScoreFactor, stdDevFactor } = parameters ?? {};
  if (method === 'relative_max_score' && (relativeScoreFactor == null || stdDevFactor != null)) {
    yield broken(
      [...path, 'parameters'],
      "You must provide '['relativeScoreFactor']' as parameters for method 'relative_max_score'",
    );
  }
  if (method === 'mean_std_dev' && (stdDevFactor == null || relativeScoreFactor != null)) {
    yield broken([...path, 'parameters'], "You must provide '['stdDevFactor']' as parameters for mean_std_dev");
  }
  if (method === 'gap_detection' && parameters != null) {
    yield broken(
      [...path, 'parameters'],
      `gap_detection does not require any parameters, but received ${echoed(parameters)}`,
    );
  }
  if (applyInRetrieval == null) return;
  const place = [...path, speltName(cutoff, 'applyInRetrieval')];
  if (retrieval !== 'disjunction') {
    yield broken(
      place,
      "relevanceCutoff.applyInRetrieval can only be set when hybridParameters.retrievalMethod is 'disjunction'",
    );
  }
  if (applyInRetrieval === 'lexical') {
    yield broken(
      place,
      "applyInRetrieval='lexical' is not currently supported. Only 'tensor' and 'both' are available.",
    );
  }
  if (applyInRetrieval === 'tensor' && cutoff.overrideSortCandidatesWithRelevantCandidates === true) {
    yield broken(place, "applyInRetrieval='tensor' cannot be used with overrideSortCandidatesWithRelevantCandidates");
  }
}

/** @param probe the lexical search of the probe */
export function plannedCutoff(cutoff: RelevanceCutoff, probe: engine.LexicalLeg): engine.RelevanceCutoff {
  const { method, parameters, probeDepth, lexicalOperand, applyInRetrieval, affectFacets } = cutoff;
  const operand = lexicalOperand == null ? probe.operand : lexicalOperand === 'and' ? 'and' : 'or';
  return {
    method: methods[method],
    factor: parameters?.relativeScoreFactor ?? parameters?.stdDevFactor ?? 0,
    probe: { ...probe, operand, scoreModifiers: null, modifiedCount: null, textRanking: null },
    probeDepth: probeDepth ?? probeDepthDefault,
    legs: applyInRetrieval === 'tensor' ? 'tensor' : 'both',
    sortsRelevant: cutoff.overrideSortCandidatesWithRelevantCandidates ?? false,
    facetsRelevant: affectFacets ?? false,
    totalsRelevant: affectFacets === true || cutoff.overrideTotalHitsWithPostProcessCandidates === true,
  };
}
