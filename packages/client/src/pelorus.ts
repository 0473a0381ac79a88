import {
  type CallDefaults,
  type CallOptions,
  Connection,
  type Method,
  type PelorusOptions,
  type Sender,
} from './connection.js';
import type { PelorusError } from './errors.js';
import type * as types from './generated/types.js';
import { answerWith, listOf } from './refusal.js';
import {
  aliasPath,
  callIndex,
  documentOf,
  indexPath,
  type NamedQuery,
  SearchIndex,
  type SearchResult,
  type StoredDocument,
  searchSeveral,
} from './search-index.js';
import { type WriteOptions, type WriteReport, writeDocuments } from './writing.js';

/** Options of an `add`: those of the interface, and how documents are sent. */
export interface AddOptions
  extends WriteOptions,
    Omit<types.AddDocumentsRequest, 'documents' | 'tensorFields' | 'clientBatchSize'> {
  /** Fields to embed, none when absent. Unstructured indexes only: a structured one declares them. */
  readonly tensorFields?: readonly string[] | null | undefined;
}

/** A document to add; the server makes an id where it has none. */
export type NewDocument<Fields> = Fields & { readonly _id?: string | undefined };

/** Changes of a document: null removes a field. */
export type DocumentChanges<Fields> = { readonly _id: string } & {
  readonly [Name in keyof Fields]?: Fields[Name] | null | undefined;
};

/** Options of a scan; `limit` is the most documents of one page, 1,000 by default. */
export interface ScanOptions extends CallOptions, Omit<types.ScanRequest, 'cursor'> {}

/** The lines of a log that are asked for; the latest 200 when absent. */
export interface LogOptions extends CallOptions {
  /** The least severe level. */
  readonly level?: types.LogLines['lines'][number]['level'] | undefined;
  /** The number of the last line that is known already. */
  readonly after?: number | undefined;
  readonly limit?: number | undefined;
}

/** The outcomes of deletions. */
export interface DeleteReport {
  /** The number of documents that were there and are gone. */
  readonly deleted: number;
  /** One for each id, in their order. */
  readonly items: readonly types.DeletedDocument[];
}

/** A model may have to be loaded before the first document is embedded, and a server may be full for a while. */
const WRITE_DEFAULTS: CallDefaults = { timeoutMs: 300_000, retries: 10 };
/** Ids of one request; a server takes 128 to delete unless its operator says otherwise. */
const IDS_MAX = 128;

/** One index: its documents, its searches, its state. Names of its fields and their types are those of `Fields`. */
export class Index<Fields extends object = Record<string, unknown>> extends SearchIndex<Fields> {
  /**
   * Adds or replaces documents, in batches. One that is refused is an outcome of the report.
   *
   * @param documents an array, or what gives them one by one
   * @throws PelorusError with a `report` of what was done before
   */
  async add(
    documents: Iterable<NewDocument<Fields>> | AsyncIterable<NewDocument<Fields>>,
    options: AddOptions = {},
  ): Promise<WriteReport> {
    const { batchSize, concurrency, onProgress, onOutcomes, signal, timeoutMs, retries, ...members } = options;
    const rest = JSON.stringify(members).slice(1);
    return write(this, 'POST', documents, rest, options);
  }

  /**
   * Changes fields of documents that are stored. A field keeps its type, and fields with vectors are changed by `add`.
   * One that is refused is an outcome of the report.
   *
   * @throws PelorusError with a `report` of what was done before
   */
  async update(
    changes: Iterable<DocumentChanges<Fields>> | AsyncIterable<DocumentChanges<Fields>>,
    options: WriteOptions = {},
  ): Promise<WriteReport> {
    return write(this, 'PATCH', changes, '}', options);
  }

  /**
   * Several documents in the order of their ids, null for each that is not there.
   *
   * @throws PelorusError also where one of them cannot be read
   */
  async getMany(ids: readonly string[], options?: CallOptions): Promise<(StoredDocument<Fields> | null)[]> {
    const documents: (StoredDocument<Fields> | null)[] = [];
    for (const documentIds of parts(ids)) {
      const answer = await callIndex(this, 'POST', '/documents/get-batch', { documentIds }, options);
      for (const found of listOf<types.FoundDocument>(answer, 'results')) documents.push(documentOf(found));
    }
    return documents;
  }

  /** Deletes documents by their ids. @throws PelorusError */
  async delete(ids: readonly string[], options?: CallOptions): Promise<DeleteReport> {
    const items: types.DeletedDocument[] = [];
    for (const part of parts(ids)) {
      const answer = await callIndex(this, 'POST', '/documents/delete-batch', part, options);
      items.push(...listOf<types.DeletedDocument>(answer, 'items'));
    }
    return { deleted: items.filter(({ result }) => result === 'deleted').length, items };
  }

  /**
   * All documents, or those of a filter, as they are when the first page is read.
   *
   * @throws PelorusError, of the code `snapshot_too_old` where they were read for too long
   */
  async *scan(options: ScanOptions = {}): AsyncGenerator<StoredDocument<Fields>, void, void> {
    const { signal, timeoutMs, retries, ...members } = options;
    let body: types.ScanRequest = members;
    for (;;) {
      const answer = await callIndex(this, 'POST', '/documents/scan', body, { signal, timeoutMs, retries });
      yield* listOf<StoredDocument<Fields>>(answer, 'documents');
      const { cursor } = answer as types.ScanResponse;
      if (!cursor) return;
      body = { cursor, limit: members.limit };
    }
  }

  /** Counts of documents and vectors, and memory. @throws PelorusError */
  async stats(options?: CallOptions): Promise<types.IndexStats> {
    const answer = await callIndex(this, 'GET', '/stats', undefined, options);
    return answerWith<types.IndexStats>(answer, 'numberOfDocuments', 'number');
  }

  /** The settings in force. @throws PelorusError */
  async settings(options?: CallOptions): Promise<types.IndexSettingsResponse> {
    const answer = await callIndex(this, 'GET', '/settings', undefined, options);
    return answerWith<types.IndexSettingsResponse>(answer, 'type', 'string');
  }

  /** The rules and search defaults that its searches follow, its synonyms, and their version. @throws PelorusError */
  async curation(options?: CallOptions): Promise<types.Curation> {
    return curationOf(await callIndex(this, 'GET', '/curation', undefined, options));
  }

  /**
   * Replaces rules, synonyms and search defaults, all at once; gives them with their new version. Members that are left
   * out are gone.
   *
   * @throws PelorusError
   */
  async setCuration(curation: types.CurationRequest, options?: CallOptions): Promise<types.Curation> {
    return curationOf(await callIndex(this, 'PUT', '/curation', curation, options));
  }

  /** The versions of rules, synonyms and search defaults that are kept, newest first. @throws PelorusError */
  async curationVersions(options?: CallOptions): Promise<readonly types.Curation[]> {
    return listOf<types.Curation>(await callIndex(this, 'GET', '/curation/versions', undefined, options), 'versions');
  }

  /** Brings an earlier version of rules, synonyms and search defaults back, as a new one. @throws PelorusError */
  async rollBackCuration(version: number, options?: CallOptions): Promise<types.Curation> {
    return curationOf(await callIndex(this, 'POST', '/curation/roll-back', { version }, options));
  }

  /** Its health, and that of what it stands on. @throws PelorusError */
  async health(options?: CallOptions): Promise<types.Health> {
    return healthOf(await callIndex(this, 'GET', '/health', undefined, options));
  }
}

const curationOf = (answer: unknown): types.Curation => answerWith<types.Curation>(answer, 'version', 'number');

/** The path of a set of judgements. @throws TypeError as {@link indexPath} */
const judgementSetPath = (setName: string): string => indexPath(setName).replace('/indexes/', '/judgement-sets/');

const healthOf = (answer: unknown): types.Health => answerWith<types.Health>(answer, 'status', 'string');

/** Sends documents to an index; `rest` is what follows them in the JSON of a request. */
async function write(
  { name, sender }: Pick<SearchIndex, 'name' | 'sender'>,
  method: 'POST' | 'PATCH',
  documents: Iterable<object> | AsyncIterable<object>,
  rest: string,
  options: WriteOptions,
): Promise<WriteReport> {
  const { signal, timeoutMs, retries } = options;
  const path = `${indexPath(name)}/documents`;
  const send = (json: string, isRepeatable: boolean): Promise<unknown> => {
    const body = `{"documents":${json}${rest === '}' ? '' : ','}${rest}`;
    return sender.send({ method, path, body, isRepeatable }, { signal, timeoutMs, retries }, WRITE_DEFAULTS);
  };
  return writeDocuments(documents, send, options);
}

function* parts(ids: readonly string[]): Generator<readonly string[], void, void> {
  for (let first = 0; first < ids.length; first += IDS_MAX) yield ids.slice(first, first + IDS_MAX);
}

/** A client of one server. */
export class Pelorus {
  readonly sender: Sender;

  /** @throws TypeError for an option that cannot be used */
  constructor(options: PelorusOptions) {
    this.sender = new Connection(options);
  }

  /** An index by its name, whether it is there or not. Its documents are of type `Fields`, with an `_id`. */
  index<Fields extends object = Record<string, unknown>>(name: string): Index<Fields> {
    return new Index<Fields>(this.sender, name);
  }

  /**
   * Runs several searches, 50 at most, in one call. The result of one that is refused is its error.
   *
   * @throws PelorusError where the call as a whole fails
   */
  multiSearch<Fields extends object = Record<string, unknown>>(
    queries: readonly NamedQuery[],
    options?: CallOptions,
  ): Promise<(SearchResult<Fields> | PelorusError)[]> {
    return searchSeveral<Fields>(this.sender, queries, options);
  }

  /** Makes an index. @throws ConflictError where the name is taken */
  async createIndex<Fields extends object = Record<string, unknown>>(
    name: string,
    settings: types.IndexSettings = {},
    options?: CallOptions,
  ): Promise<Index<Fields>> {
    await this.call('POST', indexPath(name), settings, options);
    return this.index<Fields>(name);
  }

  /** Names of the indexes, or of those that the key may call. @throws PelorusError */
  async listIndexes(options?: CallOptions): Promise<string[]> {
    const answer = await this.call('GET', '/indexes', undefined, options);
    return listOf<types.IndexList['results'][number]>(answer, 'results').map(({ indexName }) => indexName);
  }

  /** Deletes an index with all it holds. @throws NotFoundError where there is none */
  async deleteIndex(name: string, options?: CallOptions): Promise<void> {
    await this.call('DELETE', indexPath(name), undefined, options);
  }

  /** Aliases with their indexes, by name, or those that the key may call. @throws PelorusError */
  async listAliases(options?: CallOptions): Promise<readonly types.Alias[]> {
    const answer = await this.call('GET', '/aliases', undefined, options);
    return listOf<types.Alias>(answer, 'results');
  }

  /**
   * Lets an alias stand for an index, be it that it stands for another one by now.
   *
   * @throws ConflictError where an index has the name, NotFoundError where there is no such index
   */
  async setAlias(aliasName: string, indexName: string, options?: CallOptions): Promise<void> {
    await this.call('PUT', aliasPath(aliasName), { indexName }, options);
  }

  /** Changes aliases, all or none; one with `indexName` null is deleted. @throws PelorusError */
  async changeAliases(changes: types.AliasChanges['changes'], options?: CallOptions): Promise<void> {
    await this.call('POST', '/aliases', { changes }, options);
  }

  /** Deletes an alias; its index stays. @throws NotFoundError where there is none */
  async deleteAlias(aliasName: string, options?: CallOptions): Promise<void> {
    await this.call('DELETE', aliasPath(aliasName), undefined, options);
  }

  /** Sets of judgements with their sizes, by name. @throws PelorusError */
  async listJudgementSets(options?: CallOptions): Promise<readonly types.JudgementSetSummary[]> {
    const answer = await this.call('GET', '/judgement-sets', undefined, options);
    return listOf<types.JudgementSetSummary>(answer, 'results');
  }

  /** A set of judgements with its queries. @throws NotFoundError where there is none */
  async judgementSet(setName: string, options?: CallOptions): Promise<types.JudgementSet> {
    const answer = await this.call('GET', judgementSetPath(setName), undefined, options);
    return answerWith<types.JudgementSet>(answer, 'version', 'number');
  }

  /**
   * Makes a set of judgements, or replaces all of it; its configurations stay where `set` has none.
   *
   * @throws ConflictError where the set is of another version than `set` names
   */
  async putJudgementSet(
    setName: string,
    set: types.JudgementSetRequest,
    options?: CallOptions,
  ): Promise<types.JudgementSetSummary> {
    const answer = await this.call('PUT', judgementSetPath(setName), set, options);
    return answerWith<types.JudgementSetSummary>(answer, 'version', 'number');
  }

  /** Deletes a set of judgements. @throws NotFoundError where there is none */
  async deleteJudgementSet(setName: string, options?: CallOptions): Promise<void> {
    await this.call('DELETE', judgementSetPath(setName), undefined, options);
  }

  /** The latest lines of the log, the newest first. @throws PelorusError */
  async log(options: LogOptions = {}): Promise<types.LogLines> {
    const { level, after, limit, ...rest } = options;
    const chosen = Object.entries({ level, after, limit }).filter(([, value]) => value !== undefined);
    const query = new URLSearchParams(
      chosen.map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
    const answer = await this.call('GET', query === '' ? '/log' : `/log?${query}`, undefined, rest);
    return answerWith<types.LogLines>(answer, 'logLevel', 'string');
  }

  /** The work that is under way or waits. @throws PelorusError */
  async queues(options?: CallOptions): Promise<types.Queues> {
    const answer = await this.call('GET', '/queues', undefined, options);
    listOf(answer, 'requests');
    return answer as types.Queues;
  }

  /** The health of the server, which needs no key. @throws PelorusError */
  async health(options?: CallOptions): Promise<types.Health> {
    return healthOf(await this.call('GET', '/health', undefined, options));
  }

  /**
   * Makes any call of the interface. Only a GET is sent again where its answer is lost.
   *
   * @param path with its parameters, such as `/indexes/notes/suggestions`
   * @throws PelorusError
   */
  async call<Answer = unknown>(method: Method, path: string, body?: unknown, options?: CallOptions): Promise<Answer> {
    const json = body === undefined ? undefined : JSON.stringify(body);
    const isRepeatable = method === 'GET';
    return (await this.sender.send({ method, path, body: json, isRepeatable }, options)) as Answer;
  }
}
