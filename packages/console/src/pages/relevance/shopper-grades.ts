import type { Pelorus } from '@pelorus/client';
import { t } from '../../strings/strings.js';
import { FileFault } from '../data/files/file-row.js';
import { JUDGEMENTS_MAX, type JudgedQuery, QUERIES_MAX, QUERY_LENGTH_MAX } from './judged-queries.js';

/** A page of the events of a customer, as User Behavior Insights has them. */
export interface EventPage {
  readonly queries: readonly Readonly<Record<string, unknown>>[];
  readonly events: readonly Readonly<Record<string, unknown>>[];
  readonly next: string | null;
}

/** The grade that each action stands for. */
const GRADE_OF: Readonly<Record<string, number>> = { click: 1, add_to_cart: 2, purchase: 3 };
/** Sessions in which it must have been done: what one shopper does may be a slip. */
const SESSIONS_MIN = 2;
/** Searches whose texts are remembered until their clicks come, and pairs of query and product that are counted. */
const SEARCHES_MAX = 500_000;
const PAIRS_MAX = 200_000;
/** Each looks through a thousand events. */
const PAGES_MAX = 5_000;

/** A query and a product: the sessions of each action, as many as it takes. */
interface Pair {
  readonly q: string;
  readonly id: string;
  readonly sessions: Map<number, string[]>;
}

/**
 * Grades by what shoppers did after a search: 3 for a product that was bought in two sessions or more, 2 for one that was put
 * into the cart, 1 for one that was clicked. They favour what stood in front: people click what they see.
 */
export class ShopperGrades {
  readonly #texts = new Map<string, string>();
  readonly #pairs = new Map<string, Pair>();

  add({ queries, events }: Pick<EventPage, 'queries' | 'events'>): void {
    for (const { query_id: queryId, user_query: text } of queries) {
      if (typeof queryId !== 'string' || typeof text !== 'string') continue;
      this.#texts.set(queryId, text.trim().replace(/\s+/g, ' ').toLowerCase());
      const [oldest] = this.#texts.keys();
      if (this.#texts.size > SEARCHES_MAX && oldest !== undefined) this.#texts.delete(oldest);
    }
    for (const event of events) this.#addAction(event);
  }

  #addAction({ action_name: action, query_id: queryId, session_id: session, event_attributes: more }: EventRecord) {
    const grade = GRADE_OF[String(action)];
    const q = this.#texts.get(String(queryId));
    const id = (more as { object?: { object_id?: unknown } } | undefined)?.object?.object_id;
    if (grade === undefined || q === undefined || q === '' || q.length > QUERY_LENGTH_MAX) return;
    if (typeof id !== 'string' || typeof session !== 'string') return;
    const key = JSON.stringify([q, id]);
    const pair = this.#pairs.get(key) ?? { q, id, sessions: new Map<number, string[]>() };
    if (this.#pairs.size < PAIRS_MAX) this.#pairs.set(key, pair);
    const sessions = pair.sessions.get(grade) ?? [];
    if (sessions.length < SESSIONS_MIN && !sessions.includes(session)) pair.sessions.set(grade, [...sessions, session]);
  }

  /** The queries with the most grades, as many as a set may have. */
  queries(): readonly JudgedQuery[] {
    const byQuery = new Map<string, Map<string, number>>();
    for (const { q, id, sessions } of this.#pairs.values()) {
      const grade = Math.max(
        ...[...sessions].map(([one, those]) => (those.length >= SESSIONS_MIN ? one : Number.NEGATIVE_INFINITY)),
      );
      if (grade > 0) byQuery.set(q, (byQuery.get(q) ?? new Map<string, number>()).set(id, grade));
    }
    const most = [...byQuery].sort(([, a], [, b]) => b.size - a.size).slice(0, QUERIES_MAX);
    let left = JUDGEMENTS_MAX;
    return most.flatMap(([q, grades]) => {
      left -= grades.size;
      return left < 0 ? [] : [{ q, grades }];
    });
  }
}

type EventRecord = EventPage['events'][number];

/**
 * Reads the events of a customer and makes grades of them.
 * @param onPage is told the number of pages so far
 * @throws FileFault where shoppers did nothing that makes a grade
 */
export async function readShopperGrades(
  client: Pelorus,
  customerId: string,
  signal: AbortSignal,
  onPage: (count: number) => void,
): Promise<readonly JudgedQuery[]> {
  const grades = new ShopperGrades();
  let after: string | null = '';
  for (let count = 1; after !== null && count <= PAGES_MAX; count += 1) {
    const parameters = new URLSearchParams({ customerId, ...(after !== '' && { after }) });
    const page: EventPage = await client.call('GET', `/api/v1/events/ubi?${parameters}`, undefined, { signal });
    grades.add(page);
    onPage(count);
    after = page.next;
  }
  const queries = grades.queries();
  if (queries.length === 0) throw new FileFault(t.relevance.shoppers.none);
  return queries;
}
