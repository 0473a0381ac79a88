import type { engine, Problem } from '@pelorus/contract';
import { brokenTogether } from '../validation/problems.js';
import { speltName } from '../validation/spelling.js';
import { sortNameProblems } from './ordering.js';
import type { SearchMethod, SearchRequest } from './shape.js';

/** The problems of the collapse in the shape of the body. */
export function* collapseProblems({ collapseFields }: SearchRequest, method: SearchMethod): Generator<Problem> {
  if (collapseFields == null) return;
  if (method !== 'HYBRID') {
    yield brokenTogether(`collapseFields can only be provided for 'HYBRID' search. Search method is ${method}.`);
  }
  if (collapseFields.length !== 1) yield brokenTogether('Exactly one collapse field must be provided');
  for (const [i, collapse] of collapseFields.entries()) {
    if (collapse.sortBy == null) continue;
    yield* sortNameProblems(collapse.sortBy.fields, ['body', 'collapseFields', i, speltName(collapse, 'sortBy')]);
  }
}

/** The collapse of the plan. `sortFields` are those that the search itself sorts by. */
export function collapseOf({ collapseFields }: SearchRequest, sortFields: readonly string[]): engine.Collapse | null {
  const collapse = collapseFields?.[0];
  if (collapse === undefined) return null;
  const { name: field, sortBy: sort } = collapse;
  const counts = collapse.groupCount ?? false;
  const [by] = sort?.fields ?? [];
  const disabling = sort?.disableIfMainSortByFields ?? [];
  if (sort == null || by === undefined || disabling.some((name) => sortFields.includes(name))) {
    return { field, sort: null, counts };
  }
  return {
    field,
    sort: {
      field: by.fieldName,
      order: by.order ?? 'desc',
      alwaysFetchVariants: sort.alwaysFetchVariants ?? false,
    },
    counts,
  };
}
