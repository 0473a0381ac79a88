import { errors } from '@opensearch-project/opensearch';
import type { EngineError } from '@pelorus/engine';
import { clusterRefusalStatus } from '@pelorus/node';
import { isWithoutCredentials } from './aws.js';

/** Makes an error with the code that HTTP shows. */
export function engineError(code: string, message: string, cause?: unknown): EngineError {
  return Object.assign(new Error(message, { cause }), { code });
}

/** The error of an answer, as the cluster writes it. */
interface Cause {
  readonly type?: unknown;
  readonly reason?: unknown;
  readonly root_cause?: readonly Cause[];
}

/** The cause that a refusal names. A search fails as a whole for what a shard said. */
function causeOf(error: errors.ResponseError): Cause | undefined {
  const body = error.body as { readonly error?: Cause } | null | undefined;
  const cause = body?.error;
  return cause?.type === 'search_phase_execution_exception' ? (cause.root_cause?.[0] ?? cause) : cause;
}

/** Returns the kind of error that the cluster names, such as `index_not_found_exception`. */
export function kindOf(error: unknown): string | undefined {
  const type = error instanceof errors.ResponseError ? causeOf(error)?.type : undefined;
  return typeof type === 'string' ? type : undefined;
}

/** Returns the reason that the cluster gives, else the words of the client. */
function reasonOf(error: errors.ResponseError): string {
  const reason = causeOf(error)?.reason;
  return typeof reason === 'string' ? reason : error.message;
}

/** The kind that the cluster gave an error which is one of ours by now. */
export function causeKind(error: unknown): string | undefined {
  return error instanceof Error ? kindOf(error.cause) : undefined;
}

/** Returns the status that the cluster gave, of an error that is one of ours by now. */
export function statusOf(error: unknown): number | null | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof errors.ResponseError ? cause.statusCode : undefined;
}

/** The error of a call that the cluster did not answer until the caller's own deadline. */
export function late(cause?: unknown): EngineError {
  return engineError('vector_store_timeout', 'The OpenSearch cluster did not answer in time', cause);
}

/** The error of a call whose caller went away. */
export function gone(cause?: unknown): EngineError {
  return engineError('client_closed_request', 'Nobody waits for the answer any more', cause);
}

/** Returns the code of an error that is one of ours. */
export const codeOf = (error: unknown): string | undefined => (error as Partial<EngineError> | undefined)?.code;

/**
 * Tells whether a call failed because a node went away, or a manager was not there: another try may succeed. Errors of ours
 * are those of parts of an answer.
 */
export function isPassing(error: unknown): boolean {
  if (codeOf(error) === 'service_unavailable') return true;
  if (error instanceof errors.ConnectionError || error instanceof errors.NoLivingConnectionsError) return true;
  if (!(error instanceof errors.ResponseError)) return false;
  const kind = kindOf(error) ?? '';
  const status = clusterRefusalStatus(error.statusCode ?? 0, kind);
  // The cluster has waited for shards by itself.
  return (status === 502 || status === 503) && kind !== 'unavailable_shards_exception';
}

/** An error of the client as one of ours; anything else as it is. */
export function translated(error: unknown): unknown {
  if (isWithoutCredentials(error))
    return engineError('server_configuration_error', `There is nothing to sign requests with: ${error.message}`, error);
  if (!(error instanceof errors.OpenSearchClientError)) return error;
  if (error instanceof errors.TimeoutError)
    return engineError('service_unavailable', 'The OpenSearch cluster did not answer in time', error);
  if (error instanceof errors.RequestAbortedError) return gone(error);
  if (error instanceof errors.ConnectionError || error instanceof errors.NoLivingConnectionsError)
    return engineError('service_unavailable', `The OpenSearch cluster cannot be reached: ${error.message}`, error);
  if (error instanceof errors.ResponseError) {
    const kind = kindOf(error);
    return ofStatus(clusterRefusalStatus(error.statusCode ?? 0, kind ?? ''), kind, reasonOf(error), error);
  }
  return engineError('backend_data_parsing_error', `An answer of OpenSearch cannot be read: ${error.message}`, error);
}

/** The words by which nodes refuse scripts whose settings allow none, or not in a search. */
const RUNS_NO_SCRIPTS = /cannot execute (\[\w+\] scripts|scripts using)|search\.allow_expensive_queries/;

/** The error for an answer, or a part of one, with a status of HTTP and the kind of error that the cluster names. */
export function ofStatus(status: number, kind: string | undefined, reason: string, cause?: unknown): EngineError {
  const told = `OpenSearch answered ${status}: ${reason}`;
  if (kind === 'cluster_block_exception') return ofBlock(status, told, cause);
  if (RUNS_NO_SCRIPTS.test(reason)) {
    const message =
      'Settings of the nodes refuse scripts, by which this is done: set script.allowed_types to inline, or leave';
    return engineError(
      'server_configuration_error',
      `${message} script.allowed_* and search.allow_* out. ${told}`,
      cause,
    );
  }
  switch (status) {
    case 401:
    case 403:
      return engineError('server_configuration_error', `The cluster refuses our credentials: ${told}`, cause);
    case 429:
      return engineError('too_many_requests', `The cluster is busy: ${told}`, cause);
    case 504:
      // A search says so of itself; of anything else the cluster or a proxy has waited for a part of it in vain.
      if (kind === 'timed_out') return engineError('vector_store_timeout', told, cause);
      return engineError('service_unavailable', `The cluster cannot serve the index now: ${told}`, cause);
    case 502:
    case 503:
      return engineError('service_unavailable', `The cluster cannot serve the index now: ${told}`, cause);
    default:
      return engineError('internal', told, cause);
  }
}

/** The error of a write, or a read, that a block of the cluster refuses. Its words name the blocks by number. */
function ofBlock(status: number, told: string, cause: unknown): EngineError {
  if (status === 503)
    return engineError('service_unavailable', `The cluster has no manager, or is starting: ${told}`, cause);
  // By hand, unlike the block of the flood stage.
  if (/FORBIDDEN\/[5-9]\//.test(told))
    return engineError(
      'service_unavailable',
      `An operator of the cluster has closed the index to this: ${told}`,
      cause,
    );
  return engineError(
    'insufficient_storage',
    `A disk of the cluster is full, so that it takes no writes: ${told}`,
    cause,
  );
}

/** The error of a call that names an index which is not there. */
export function notFound(name: string): EngineError {
  return engineError('index_not_found', `Index ${name} not found`);
}
