import type { IncomingHttpHeaders } from 'node:http';
import type { Operation, OperationId } from '@pelorus/contract';
import type { HostedIndex, OperationCall } from '@pelorus/hosted';
import { operationsOf } from '../app.js';
import { withinOf } from '../auth/access.js';
import type { Principal } from '../call.js';
import { routeParameter } from '../http/paths.js';

/** Part of the path that leads to the process of an index, before the paths of the data interface. */
const ENDPOINT = '/e/{endpointId}';

/** Headers that the process of an index is told, beside what its operation takes; nothing else is handed on. */
const FORWARDED = ['content-type', 'content-encoding'] as const;

/** The header by which a client says how long it waits for an answer. */
const TIMEOUT = 'x-request-timeout-ms';
/** The additional wait for an answer: an index that is alive answers in time by itself. */
export const DEADLINE_GRACE_MS = 500;

const SEARCHES: ReadonlySet<string> = new Set(['search', 'recommend', 'multiSearch']);

/** Indexes come and go by the control plane, keys are those of the whole service, as are judgements. */
const CONTROLLED: ReadonlySet<string> = new Set([
  'listKeys',
  'createKey',
  'updateKey',
  'rotateKey',
  'deleteKey',
  'listJudgementSets',
  'getJudgementSet',
  'putJudgementSet',
  'deleteJudgementSet',
  'createIndex',
  'createIndexes',
  'deleteIndex',
  'deleteIndexes',
  'validateIndex',
]);

/** An operation that a hosted index has at its endpoint. */
export interface EndpointOperation {
  /** As the process of the index has it. */
  readonly operation: Operation & { readonly operationId: OperationId };
  /** As calls of the endpoint ask for it: by its path there. */
  readonly asked: Operation;
  /** Tells whether it counts as a search in the record of the index. */
  readonly isSearch: boolean;
  /** Tells whether a client may say how long it waits. */
  readonly isTimed: boolean;
  /** Reads the call off a request that has been found to ask for it; its id is to be added. */
  readonly callOf: (index: HostedIndex, request: EndpointRequest) => OperationCall;
}

/** The parts of a request that a call is made of. The address that the client wrote goes no further. */
export interface EndpointRequest {
  readonly headers: IncomingHttpHeaders;
  /** As the route has them. */
  readonly params: Readonly<Record<string, string | undefined>>;
  /** The query of the target, with or without its question mark. */
  readonly query: string;
  readonly principal: Principal | undefined;
}

/** The operations that a hosted index has at its endpoint. */
export const atEndpoints: readonly EndpointOperation[] = operationsOf('search')
  .filter(({ operationId }) => !CONTROLLED.has(operationId))
  .map((operation) => ({
    operation,
    asked: atEndpoint(operation),
    isSearch: SEARCHES.has(operation.operationId),
    isTimed: operation.headers.properties?.[TIMEOUT] !== undefined,
    callOf: callReader(operation),
  }));

/** The same, by their paths there. */
export const endpointOperations: readonly Operation[] = atEndpoints.map(({ asked }) => asked);

function atEndpoint({ path, scope, ...operation }: Operation): Operation {
  // Without a key nobody is to learn which endpoints there are, so that what asks for none elsewhere does here.
  return { ...operation, path: `${ENDPOINT}${path}`, scope: scope === 'none' ? 'read' : scope };
}

/** The index is asked for that operation and its own parameters, whatever else the request has. */
function callReader(operation: Operation): EndpointOperation['callOf'] {
  const paramNames = Object.keys(operation.params.properties ?? {});
  const queryNames = Object.keys(operation.query.properties ?? {});
  const headerNames = [...FORWARDED, ...Object.keys(operation.headers.properties ?? {})];
  return ({ name }, { headers: given, params: routed, query, principal }) => {
    const params: Record<string, string> = {};
    for (const one of paramNames) params[one] = routed[routeParameter(one)] ?? '';
    params.indexName = name;
    const headers: Record<string, string> = {};
    for (const one of headerNames) if (given[one] !== undefined) headers[one] = given[one] as string;
    return {
      ...{ operation, params, headers, keyId: principal?.keyId ?? '', filter: withinOf({ principal }) },
      ...(query !== '' && {
        query: new URLSearchParams([...new URLSearchParams(query)].filter(([one]) => queryNames.includes(one))),
      }),
    };
  };
}

/** Milliseconds that a client waits for an answer, and a little more; what is no time is for the index to refuse. */
export function patienceMs({ [TIMEOUT]: given }: IncomingHttpHeaders, otherwiseMs: number): number {
  const timeoutMs = isTime(given) ? Number(given) : otherwiseMs;
  return timeoutMs + DEADLINE_GRACE_MS;
}

/**
 * A call with the rest of its time: part of it went by while its body came, and its index was started.
 * @param deadlineMs the end of its patience, on the clock of `performance.now()`
 */
export function withinTime(call: OperationCall, deadlineMs: number): OperationCall {
  return { ...call, headers: { ...call.headers, ...timeLeft(call.headers, deadlineMs) } };
}

/** The header with the rest of the time of a call that has these; none in place of what is no time. */
export function timeLeft({ [TIMEOUT]: given }: IncomingHttpHeaders = {}, deadlineMs: number): Record<string, string> {
  if (given !== undefined && !isTime(given)) return {};
  const leftMs = Math.max(0, Math.floor(deadlineMs - DEADLINE_GRACE_MS - performance.now()));
  return { [TIMEOUT]: String(leftMs) };
}

/** A call without its time, for {@link timeLeft} to tell it later; what is no time stays. */
export function withoutTime(call: OperationCall): OperationCall {
  const { [TIMEOUT]: given, ...headers } = call.headers ?? {};
  return given !== undefined && !isTime(given) ? call : { ...call, headers };
}

function isTime(given: string | string[] | undefined): given is string {
  return typeof given === 'string' && /^\d{1,6}$/.test(given);
}
