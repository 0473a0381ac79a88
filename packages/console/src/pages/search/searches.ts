import type { Pelorus, SearchResult, types } from '@pelorus/client';
import { useEffect, useState } from 'preact/hooks';
import { type Failure, failureOf } from '../../server/failure.js';
import { noteKeyWanted, useReturn } from '../../server/load.js';
import { session } from '../../server/session.js';
import { useStore } from '../../store.js';
import { METHODS, type Method, methodsFor, type Query, shownBody } from './request.js';

export type Answer = SearchResult<Record<string, unknown>>;

/** The outcome of a search by one method. */
export interface MethodResult {
  readonly answer: Answer | undefined;
  readonly failure: Failure | undefined;
  readonly isLoading: boolean;
}

export type MethodResults = Readonly<Record<Method, MethodResult>>;

const WAITING: MethodResult = { answer: undefined, failure: undefined, isLoading: true };
const NOT_ASKED: MethodResult = { ...WAITING, isLoading: false };
const ALL_WAITING: MethodResults = { HYBRID: WAITING, TENSOR: WAITING, LEXICAL: WAITING };

/**
 * Searches at once by every method that fits the query; each shows its hits as soon as they are there. The hits of the query before stay until
 * then.
 *
 * @param query undefined until it can be sent
 */
export function useSearches(
  index: string,
  query: Query | undefined,
  facets: types.Facets | undefined,
  hasVectors: boolean,
): MethodResults {
  const { client } = useStore(session);
  const [results, setResults] = useState<MethodResults>(ALL_WAITING);
  const [turn, setTurn] = useState(0);
  useReturn(
    METHODS.some((method) => results[method].failure?.isUnreached === true),
    () => setTurn((before) => before + 1),
  );
  useEffect(() => {
    if (query === undefined) return;
    const ended = new AbortController();
    const { signal } = ended;
    const asked = methodsFor(query, hasVectors);
    for (const method of METHODS.filter((one) => !asked.includes(one))) {
      setResults((before) => ({ ...before, [method]: NOT_ASKED }));
    }
    for (const method of asked) {
      const set = (change: (before: MethodResult) => MethodResult) => {
        if (!signal.aborted) setResults((before) => ({ ...before, [method]: change(before[method]) }));
      };
      set((before) => ({ ...before, isLoading: true }));
      searchOnce(client, index, shownBody(method, query, facets), signal).then(
        (answer) => set(() => ({ answer, failure: undefined, isLoading: false })),
        (error: unknown) => {
          if (signal.aborted) return;
          noteKeyWanted(error);
          set(() => ({ answer: undefined, failure: failureOf(error), isLoading: false }));
        },
      );
    }
    return () => ended.abort();
    // Every question is another object, also where somebody asks the same again.
  }, [client, index, query, turn]);
  return results;
}

/** With telemetry, which the typed search of the client has no option for. */
function searchOnce(client: Pelorus, index: string, body: types.SearchRequest, signal: AbortSignal): Promise<Answer> {
  return client.call<Answer>('POST', `/indexes/${encodeURIComponent(index)}/search?telemetry=true`, body, { signal });
}
