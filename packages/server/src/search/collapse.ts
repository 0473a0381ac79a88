import type { engine, Problem } from '@pelorus/contract';
import { brokenTogether } from '../validation/problems.js';
import { speltName } from '../validation/spelling.js';
import { sortNameProblems } from './ordering.js';
import type { SearchMethod, SearchRequest } from './shape.js';

/** Most hits of a page that show further documents of their groups: each of these is a search of its own. */
const SHOWN_GROUPS_MAX = 100;

/** Tells whether hits show further documents of their groups. */
export function showsGroups({ collapseFields }: SearchRequest): boolean {
  return (collapseFields ?? []).some(({ groupLimit }) => (groupLimit ?? 1) > 1);
}

/** The problems of the collapse in the shape of the body. */
export function* collapseProblems(request: SearchRequest, method: SearchMethod): Generator<Problem> {
  const { collapseFields, limit, rerank } = request;
  if (collapseFields == null) return;
  if (showsGroups(request) && limit > SHOWN_GROUPS_MAX) {
    yield brokenTogether(`'limit' must be at most ${SHOWN_GROUPS_MAX} with a 'groupLimit' above 1`);
  }
  if (showsGroups(request) && rerank != null) {
    yield brokenTogether("'rerank' cannot be used with a 'groupLimit' above 1: it reads one document of each group");
  }
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
  const others = (collapse.groupLimit ?? 1) - 1;
  const [by] = sort?.fields ?? [];
  const disabling = sort?.disableIfMainSortByFields ?? [];
  if (sort == null || by === undefined || disabling.some((name) => sortFields.includes(name))) {
    return { field, sort: null, counts, others };
  }
  return {
    field,
    sort: {
      field: by.fieldName,
      dates: by.type === 'date',
      order: by.order ?? 'desc',
      alwaysFetchVariants: sort.alwaysFetchVariants ?? false,
    },
    counts,
    others,
  };
}
