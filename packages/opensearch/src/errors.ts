import { errors } from '@opensearch-project/opensearch';
import type { EngineError } from '@pelorus/engine';
import { isWithoutCredentials } from './aws.js';

/** Makes an error with the code that HTTP shows. */
export function engineError(code: string, message: string, cause?: unknown): EngineError {
  return Object.assign(new Error(message, { cause }), { code });
}

/** Returns the kind of error that the cluster names, such as `index_not_found_exception`. */
export function kindOf(error: unknown): string | undefined {
  if (!(error instanceof errors.ResponseError)) return undefined;
  const body: unknown = error.body;
  if (typeof body !== 'object' || body === null || !('error' in body)) return undefined;
  const inner = body.error;
  if (typeof inner !== 'object' || inner === null || !('type' in inner)) return undefined;
  return typeof inner.type === 'string' ? inner.type : undefined;
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

/** The error of a call that the cluster did not answer in time. */
export function late(cause?: unknown): EngineError {
  return engineError('vector_store_timeout', 'The OpenSearch cluster did not answer in time', cause);
}

/** An error of the client as one of ours; anything else as it is. */
export function translated(error: unknown): unknown {
  if (isWithoutCredentials(error))
    return engineError('server_configuration_error', `There is nothing to sign requests with: ${error.message}`, error);
  if (!(error instanceof errors.OpenSearchClientError)) return error;
  if (error instanceof errors.TimeoutError) return late(error);
  if (error instanceof errors.RequestAbortedError)
    return engineError('client_closed_request', 'Nobody waits for the answer any more', error);
  if (error instanceof errors.ConnectionError || error instanceof errors.NoLivingConnectionsError)
    return engineError(
      'backend_communication_error',
      `The OpenSearch cluster cannot be reached: ${error.message}`,
      error,
    );
  if (error instanceof errors.ResponseError)
    return ofStatus(error.statusCode ?? 0, kindOf(error), error.message, error);
  return engineError('backend_data_parsing_error', `An answer of OpenSearch cannot be read: ${error.message}`, error);
}

/** The error for an answer, or a part of one, with a status of HTTP and the kind of error that the cluster names. */
export function ofStatus(status: number, kind: string | undefined, reason: string, cause?: unknown): EngineError {
  const told = `OpenSearch answered ${status}: ${reason}`;
  const isBlocked = kind === 'cluster_block_exception';
  switch (status) {
    case 401:
    case 403:
      return isBlocked
        ? engineError('insufficient_storage', `The cluster takes no writes: ${told}`, cause)
        : engineError('server_configuration_error', `The cluster refuses our credentials: ${told}`, cause);
    case 429:
      // Blocked for want of disk, which waiting does not mend, or busy.
      return isBlocked
        ? engineError('insufficient_storage', `The cluster takes no writes: ${told}`, cause)
        : engineError('too_many_requests', `The cluster is busy: ${told}`, cause);
    case 503:
      return engineError('service_unavailable', `The cluster cannot serve the index now: ${told}`, cause);
    case 504:
      return engineError('vector_store_timeout', told, cause);
    default:
      return engineError('internal', told, cause);
  }
}

/** The error of a call that names an index which is not there. */
export function notFound(name: string): EngineError {
  return engineError('index_not_found', `Index ${name} not found`);
}
