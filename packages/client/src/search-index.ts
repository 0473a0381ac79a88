import type { Call, CallOptions, Method, Sender } from './connection.js';
import { NotFoundError, PelorusError } from './errors.js';
import type * as types from './generated/types.js';
import { answerWith, errorOf, listOf } from './refusal.js';

/** The members that a type names, without those of any name. */
type Named<Type> = { [Name in keyof Type as string extends Name ? never : Name]: Type[Name] };

/** A document that a search found: its own fields, and how well it fits. */
export type Hit<Fields> = Fields & Named<types.Hit>;

/** A stored document: its own fields and its id. */
export type StoredDocument<Fields> = Fields & Named<types.StoredDocument>;

/** The answer to a search. */
export interface SearchResult<Fields> extends Omit<types.SearchResponse, 'hits'> {
  /** Best first. */
  readonly hits: readonly Hit<Fields>[];
}

/** Everything that a search takes; a text alone stands for `{ q: text }`. */
export type SearchQuery = Omit<types.SearchRequest, 'cursor' | 'withCursor'>;

/** A search among several, and the index that it is of. */
export interface NamedQuery extends SearchQuery {
  readonly indexName: string;
}

/** The searches of one index. Names of its fields and their types are those of `Fields`. */
export class SearchIndex<Fields extends object = Record<string, unknown>> {
  readonly name: string;
  readonly sender: Sender;

  /** For the `index` of a client alone. */
  constructor(sender: Sender, name: string) {
    this.sender = sender;
    this.name = name;
  }

  /** Finds documents by meaning, by words or by both. @throws PelorusError */
  async search(query: string | SearchQuery, options?: CallOptions): Promise<SearchResult<Fields>> {
    return searched<Fields>(this, typeof query === 'string' ? { q: query } : query, options);
  }

  /**
   * The pages of one ranking, which neither skip nor repeat a hit while documents are written. `limit` is the size of a
   * page.
   *
   * @throws PelorusError, of the code `snapshot_too_old` where the ranking was read for too long
   */
  async *pages(query: string | SearchQuery, options?: CallOptions): AsyncGenerator<SearchResult<Fields>, void, void> {
    const first = { ...(typeof query === 'string' ? { q: query } : query), withCursor: true };
    let page = await searched<Fields>(this, first, options);
    yield page;
    while (page.cursor) {
      page = await searched<Fields>(this, { cursor: page.cursor }, options);
      yield page;
    }
  }

  /** One document. @throws NotFoundError with the code `document_not_found` where there is none */
  async get(id: string, options?: CallOptions): Promise<StoredDocument<Fields>> {
    const part = isPart(id) ? encodeURIComponent(id) : '';
    if (part !== '' && part.length <= PART_LENGTH_MAX) {
      const answer = await callIndex(this, 'GET', `/documents/${part}`, undefined, options);
      return answerWith<Named<types.StoredDocument>>(answer, '_id', 'string') as StoredDocument<Fields>;
    }
    const answer = await callIndex(this, 'POST', '/documents/get-batch', { documentIds: [id] }, options);
    const [found = null] = listOf<types.FoundDocument>(answer, 'results').map(documentOf<Fields>);
    if (found !== null) return found;
    throw new NotFoundError(`Document with ID ${id} not found in index ${this.name}`, {
      ...{ code: 'document_not_found', status: 404 },
    });
  }
}

/** The longest id that a path carries, encoded: servers and proxies bound the head of a request, some at 8 KiB. */
const PART_LENGTH_MAX = 2048;

/**
 * Tells whether a name can be a part of a path. Addresses lose an empty part, a dot and two dots, encoded or not, and
 * cannot have half of a character.
 */
function isPart(name: string): boolean {
  return !/^\.{0,2}$|\p{Surrogate}/u.test(name);
}

/** The path of an index. @throws TypeError for a name that no index has, and that would lead to another path */
export function indexPath(name: string): string {
  if (isPart(name)) return `/indexes/${encodeURIComponent(name)}`;
  throw new TypeError(`The name of an index is ${JSON.stringify(name)}, but must have letters or digits`);
}

/** The path of an alias. @throws TypeError as {@link indexPath} */
export function aliasPath(name: string): string {
  return indexPath(name).replace('/indexes/', '/aliases/');
}

/** Calls a part of an index, in a way that may be repeated. */
export function callIndex(
  { name, sender }: Pick<SearchIndex, 'name' | 'sender'>,
  method: Method,
  path: string,
  body?: unknown,
  options?: CallOptions,
): Promise<object> {
  const json = body === undefined ? undefined : JSON.stringify(body);
  return sender.send({ method, path: `${indexPath(name)}${path}`, body: json, isRepeatable: true }, options);
}

async function searched<Fields>(
  index: Pick<SearchIndex, 'name' | 'sender'>,
  body: types.SearchRequest,
  options?: CallOptions,
): Promise<SearchResult<Fields>> {
  const answer = await callIndex(index, 'POST', '/search', body, options);
  return { ...(answer as SearchResult<Fields>), hits: listOf(answer, 'hits') };
}

/** The results of several searches in one call. */
export async function searchSeveral<Fields>(
  sender: Sender,
  queries: readonly NamedQuery[],
  options?: CallOptions,
): Promise<(SearchResult<Fields> | PelorusError)[]> {
  const path = '/multi-search';
  const call: Call = { method: 'POST', path, body: JSON.stringify({ queries }), isRepeatable: true };
  const results = listOf<types.MultiSearchResult>(await sender.send(call, options), 'results');
  return results.map(({ indexName, status, response, error }) =>
    response === undefined
      ? errorOf({ call: `the search of ${indexName}`, status, answer: error, text: '' })
      : (response as SearchResult<Fields>),
  );
}

/** A document of an answer, null where it is not there. @throws PelorusError where it cannot be had */
export function documentOf<Fields>({ _found, ...document }: types.FoundDocument): StoredDocument<Fields> | null {
  if (_found === true) return document as StoredDocument<Fields>;
  const { _id, status, message } = document as { _id: string; status?: number; message?: string };
  if (status === 404) return null;
  throw new PelorusError(`The document ${JSON.stringify(_id)} cannot be had: ${message}`, {
    code: 'document_unreadable',
    status,
  });
}
