// The calls of the search service, and what is read of its answers.

/** A search as the service takes it, and the index that it is of. */
export interface Query {
  readonly indexName: string;
  readonly [member: string]: unknown;
}

/** The counts of a facet: by text, or the statistics of numbers. */
export type FacetCounts = { readonly [text: string]: { readonly count: number } } | NumberCounts;

export interface NumberCounts {
  readonly count: number;
  readonly min?: number;
  readonly max?: number;
  readonly avg?: number;
  readonly sum?: number;
}

export interface Answer {
  readonly hits: readonly Document[];
  readonly totalHits?: number;
  readonly facets?: { readonly [field: string]: FacetCounts };
  readonly processingTimeMs: number;
}

export interface Document {
  readonly _id: string;
  readonly _lexicalHighlights?: { readonly [field: string]: readonly string[] };
  readonly [field: string]: unknown;
}

interface Fault {
  readonly message: string;
  readonly code: string;
}

interface Result {
  readonly status: number;
  readonly response?: Answer;
  readonly error?: Fault;
}

/** A search that the service refused, or did not answer. */
export class SearchError extends Error {
  override readonly name = 'SearchError';
  /** The status of HTTP. */
  readonly status: number;
  /** The service's name of the error; empty where something else answered. */
  readonly code: string;

  constructor(message: string, status: number, code: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Most searches of one call. */
const QUERIES_MAX = 50;

export interface ServiceOptions {
  /** Address of the server, or of the endpoint of a hosted index. */
  readonly url: string;
  /** A key that reads; none where the server asks for none. Everybody who sees the page sees it. */
  readonly apiKey?: string | undefined;
  /** Milliseconds after which a call that has no answer fails; 60,000 when absent. */
  readonly timeoutMs?: number | undefined;
  /** More headers of every call. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Another `fetch` than that of the platform. */
  readonly fetch?: typeof fetch | undefined;
}

export class Service {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeoutMs: number;
  readonly #fetch: typeof fetch;

  constructor({ url, apiKey, timeoutMs = 60_000, headers = {}, fetch: given }: ServiceOptions) {
    this.#url = `${url.replace(/\/+$/, '')}/multi-search`;
    this.#headers = {
      'content-type': 'application/json',
      ...(apiKey !== undefined && { 'x-api-key': apiKey }),
      ...headers,
    };
    this.#timeoutMs = timeoutMs;
    this.#fetch = given ?? ((...call) => fetch(...call));
  }

  /**
   * The answer of each query, in their order.
   * @throws SearchError for the first that failed; TypeError, as of `fetch`, where the server cannot be reached or leads
   *   elsewhere; the `TimeoutError` of a signal where it does not answer in time
   */
  async search(queries: readonly Query[]): Promise<Answer[]> {
    const calls = Array.from({ length: Math.ceil(queries.length / QUERIES_MAX) }, (_, at) =>
      queries.slice(at * QUERIES_MAX, (at + 1) * QUERIES_MAX),
    );
    const results = (await Promise.all(calls.map((call) => this.#call(call)))).flat();
    return results.map(({ status, response, error }) => {
      if (response === undefined) throw new SearchError(error?.message ?? '', status, error?.code ?? '');
      return response;
    });
  }

  async #call(queries: readonly Query[]): Promise<readonly Result[]> {
    const response = await this.#fetch(this.#url, {
      method: 'POST',
      headers: this.#headers,
      body: JSON.stringify({ queries }),
      // The key is for this address alone.
      redirect: 'error',
      signal: AbortSignal.timeout(this.#timeoutMs),
    });
    const text = await response.text();
    if (!response.ok) throw failure(response.status, text);
    const results = resultsIn(text);
    if (results?.length !== queries.length)
      throw new SearchError('something else than the search service answered', response.status, '');
    return results;
  }
}

/** The results in an answer; undefined where it is none of the service. */
function resultsIn(text: string): readonly Result[] | undefined {
  try {
    const { results } = JSON.parse(text) as { results?: unknown };
    return Array.isArray(results) ? (results as readonly Result[]) : undefined;
  } catch {
    return undefined;
  }
}

function failure(status: number, text: string): SearchError {
  try {
    const { message, code } = JSON.parse(text) as Partial<Fault>;
    if (typeof message === 'string') return new SearchError(message, status, code ?? '');
  } catch {
    // Something before the service answered.
  }
  return new SearchError(`the search service answered ${status}`, status, '');
}
