import type { engine, Problem, schemas } from '@pelorus/contract';
import { broken, brokenTogether } from '../validation/problems.js';
import type { SearchMethod, SearchRequest } from './shape.js';

/** What of the collapse breaks the shape of the body. */
export function* collapseProblems({ collapseFields }: SearchRequest, method: SearchMethod): Generator<Problem> {
  if (collapseFields == null) return;
  if (method !== 'HYBRID') {
    yield brokenTogether(`collapseFields can only be provided for 'HYBRID' search. Search method is ${method}.`);
  }
  if (collapseFields.length !== 1) yield brokenTogether('Exactly one collapse field must be provided');
  for (const [i, collapse] of collapseFields.entries()) {
    const sort = sortOf(collapse);
    if (sort == null) continue;
    const place = ['body', 'collapseFields', i, collapse.sortBy == null ? 'sort_by' : 'sortBy'];
    if (sort.fields.some((field) => fieldNameOf(field) == null)) {
      yield broken([...place, 'fields', 0, 'fieldName'], 'field required');
    }
    const threads = sort.numThreadsPerSearch ?? sort.num_threads_per_search;
    if (threads != null && threads < 1) {
      const name = sort.numThreadsPerSearch == null ? 'num_threads_per_search' : 'numThreadsPerSearch';
      yield broken([...place, name], 'ensure this value is greater than or equal to 1');
    }
  }
}

function sortOf({ sortBy, sort_by }: schemas.SearchCollapse): schemas.CollapseSort | null | undefined {
  return sortBy ?? sort_by;
}

function fieldNameOf({ fieldName, field_name }: schemas.CollapseSort['fields'][number]): string | undefined {
  return fieldName ?? field_name;
}

/** The collapse of the plan. `sortFields` are those that the search itself sorts by. */
export function collapseOf({ collapseFields }: SearchRequest, sortFields: readonly string[]): engine.Collapse | null {
  const collapse = collapseFields?.[0];
  if (collapse === undefined) return null;
  const sort = sortOf(collapse);
  const [by] = sort?.fields ?? [];
  const disabling = sort?.disableIfMainSortByFields ?? sort?.disable_if_main_sort_by_fields ?? [];
  if (sort == null || by === undefined || disabling.some((name) => sortFields.includes(name))) {
    return { field: collapse.name, sort: null };
  }
  return {
    field: collapse.name,
    sort: {
      field: fieldNameOf(by) ?? '',
      order: by.order ?? 'desc',
      alwaysFetchVariants: sort.alwaysFetchVariants ?? sort.always_fetch_variants ?? false,
    },
  };
}
