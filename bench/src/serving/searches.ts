import { quantile } from '../quantile.ts';
import type { Connection } from '../server/connection.ts';
import { Documents, SLOTS } from './documents.ts';
import { expected, recallOf, scoresOf } from './exact.ts';
import { searchOf, searchPath } from './requests.ts';
import { randomNumbers, type Vectors } from './vectors.ts';
import type { Writer } from './writer.ts';

const K = 10;
/** Searches of a list whose answers are compared with an exact search, about so many. */
const CHECKED = 1000;

/** A search that was answered, and which writes it may or may not have seen. */
export interface Searched {
  query: number;
  /** Share of all documents that the filter lets pass. */
  passRate: number;
  milliseconds: number;
  found: number[];
  /** Writes acknowledged before it began: it must have seen them. */
  seen: number;
  /** Writes sent before it ended: it may have seen them. */
  sent: number;
}

/** One search after the other, over all queries. */
export async function searchAll(
  connection: Connection,
  vectors: Vectors,
  writer: Writer,
  passRate: number,
  count: number,
): Promise<Searched[]> {
  const queries = vectors.queries.length / vectors.dim;
  const slots = passRate < 1 ? Math.round(passRate * SLOTS) : null;
  const searched: Searched[] = [];
  for (let i = 0; i < count; i += 1) {
    const query = i % queries;
    const body = searchOf(vectors, query, slots);
    const seen = writer.acknowledged;
    const started = performance.now();
    const answer = await connection.post(searchPath, body);
    const milliseconds = performance.now() - started;
    const { hits } = JSON.parse(answer) as { hits: { _id: string }[] };
    const found = hits.map(({ _id }) => Number(_id));
    searched.push({ query, passRate, milliseconds, found, seen, sent: writer.sent });
  }
  return searched;
}

/** The recall of each list of searches, against exact searches over the documents that each could see. */
export function recalls(lists: readonly Searched[][], vectors: Vectors, documents: Documents): number[] {
  const totals = lists.map(() => ({ hits: 0, wanted: 0 }));
  const slots = Array.from({ length: vectors.rows.length / vectors.dim }, (_, document) => Documents.slot(document));
  const byQuery = Map.groupBy(
    lists.flatMap((list, which) => sample(list).map((searched) => ({ which, searched }))),
    ({ searched }) => searched.query,
  );
  for (const [query, group] of byQuery) {
    const vector = vectors.queries.subarray(query * vectors.dim, (query + 1) * vectors.dim);
    const scores = scoresOf(vectors.rows, vector);
    for (const { which, searched } of group) {
      const unsettled = documents.touched(searched.seen, searched.sent);
      const passes = (document: number) =>
        (slots[document] ?? 0) < searched.passRate * SLOTS && !unsettled.has(document);
      const truth = expected(scores, documents.after(searched.seen), passes, K);
      const { hits, wanted } = recallOf(searched.found, truth, unsettled);
      const total = totals[which];
      if (total === undefined) continue;
      total.hits += hits;
      total.wanted += wanted;
    }
  }
  return totals.map(({ hits, wanted }) => hits / wanted);
}

/** A share of the list drawn at random: every n-th would be the same few queries over and over. */
function sample<T>(list: readonly T[]): T[] {
  const random = randomNumbers(5);
  return list.filter(() => random() < CHECKED / list.length);
}

export function latency(searched: readonly Searched[], q: number): number {
  return quantile(
    searched.map(({ milliseconds }) => milliseconds),
    q,
  );
}
