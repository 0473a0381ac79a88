import {
  FIRST_QUERY,
  GROUP_LIMITS,
  type Group,
  METHODS,
  type Method,
  PREFIXES,
  type Query,
  type Sort,
} from './request.js';

/** The numbers of hits to choose from. */
export const LIMITS: readonly number[] = [5, 10, 20, 50];

/** The query that the parameters of an address have. */
export function queryOf(parameters: URLSearchParams): Query {
  const limit = Number(parameters.get('limit') ?? FIRST_QUERY.limit);
  const alpha = Number(parameters.get('alpha') ?? FIRST_QUERY.alpha);
  return {
    q: parameters.get('q') ?? '',
    filter: parameters.get('filter') ?? '',
    limit: LIMITS.includes(limit) ? limit : FIRST_QUERY.limit,
    alpha: alpha >= 0 && alpha <= 1 ? alpha : FIRST_QUERY.alpha,
    prefix: PREFIXES.find((one) => one === parameters.get('prefix')) ?? FIRST_QUERY.prefix,
    allowsTypos: parameters.get('typos') === 'true',
    corrects: parameters.get('correct') === 'true',
    group: groupOf(parameters),
    sort: sortOf(parameters),
  };
}

function groupOf(parameters: URLSearchParams): Group | undefined {
  const field = parameters.get('group') ?? '';
  const limit = Number(parameters.get('groupLimit') ?? 1);
  return field === '' ? undefined : { field, limit: GROUP_LIMITS.includes(limit) ? limit : 1 };
}

function sortOf(parameters: URLSearchParams): Sort | undefined {
  const field = parameters.get('sort') ?? '';
  if (field === '') return undefined;
  const order = parameters.get('order') === 'desc' ? 'desc' : 'asc';
  return { field, order, ...(parameters.get('sortType') === 'date' && { type: 'date' }) };
}

/** The method that the parameters of an address choose; undefined where all are shown. */
export const methodOf = (parameters: URLSearchParams): Method | undefined =>
  METHODS.find((one) => one === parameters.get('method'));

/** The parameters of the address of a query and of the method that is shown alone; what is as usual is left out. */
export function parametersOf(
  { q, filter, limit, alpha, prefix, allowsTypos, corrects, group, sort }: Query,
  method?: Method | undefined,
): Record<string, string> {
  return {
    ...(q !== '' && { q }),
    ...(filter !== '' && { filter }),
    ...(limit !== FIRST_QUERY.limit && { limit: String(limit) }),
    ...(alpha !== FIRST_QUERY.alpha && { alpha: String(alpha) }),
    ...(prefix !== FIRST_QUERY.prefix && { prefix }),
    ...(allowsTypos && { typos: 'true' }),
    ...(corrects && { correct: 'true' }),
    ...(group !== undefined && { group: group.field }),
    ...(group !== undefined && group.limit !== 1 && { groupLimit: String(group.limit) }),
    ...(sort !== undefined && { sort: sort.field, order: sort.order }),
    ...(sort?.type !== undefined && { sortType: sort.type }),
    ...(method !== undefined && { method }),
  };
}
