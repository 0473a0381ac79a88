import type { types } from '@pelorus/client';

/** A query with the grades of documents by their ids. */
export interface JudgedQuery {
  readonly q: string;
  readonly grades: ReadonlyMap<string, number>;
}

/** All grades that somebody can give, the worst first. */
export const GRADES = [0, 1, 2, 3] as const;

/** Bounds of the interface, told before something is sent that it refuses. */
export const QUERIES_MAX = 1_000;
export const JUDGEMENTS_MAX = 40_000;
export const QUERY_LENGTH_MAX = 2_048;

/** Queries as the interface has them. */
export type SentQueries = types.JudgementSetRequest['queries'];

export function queriesOf(queries: SentQueries): readonly JudgedQuery[] {
  return queries.map(({ q, judgements }) => ({ q, grades: new Map(Object.entries(judgements)) }));
}

export function sentQueries(queries: readonly JudgedQuery[]): SentQueries {
  return queries.map(({ q, grades }) => ({ q, judgements: Object.fromEntries(grades) }));
}

/** The queries with another grade of a document; undefined takes its grade away. */
export function graded(
  queries: readonly JudgedQuery[],
  q: string,
  id: string,
  grade: number | undefined,
): readonly JudgedQuery[] {
  return queries.map((query) => {
    if (query.q !== q || query.grades.get(id) === grade) return query;
    const grades = new Map(query.grades);
    if (grade === undefined) grades.delete(id);
    else grades.set(id, grade);
    return { q, grades };
  });
}

export function judgementCount(queries: readonly JudgedQuery[]): number {
  return queries.reduce((sum, { grades }) => sum + grades.size, 0);
}

/** The reason that a query cannot be added, as a member of the texts of queries; undefined where it can. */
export function queryFault(
  queries: readonly JudgedQuery[],
  q: string,
): 'blank' | 'long' | 'double' | 'many' | undefined {
  if (q.trim() === '') return 'blank';
  if (q.length > QUERY_LENGTH_MAX) return 'long';
  if (queries.some((query) => query.q === q)) return 'double';
  return queries.length >= QUERIES_MAX ? 'many' : undefined;
}
