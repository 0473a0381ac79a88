import { errors } from '@opensearch-project/opensearch';
import type { EngineError } from '@pelorus/engine';
import { isWithoutCredentials } from './aws.js';

/** Makes an error with the code that HTTP shows. */
export function engineError(code: string, message: string, cause?: unknown): EngineError {
  return Object.assign(new Error(message, { cause }), { code });
}

/** The error of a call that the cluster does not serve yet. */
export function notYet(what: string): EngineError {
  return engineError('bad_request', `An OpenSearch cluster does not serve ${what} yet`);
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

/** An error of the client as one of ours; anything else as it is. */
export function translated(error: unknown): unknown {
  if (isWithoutCredentials(error))
    return engineError('server_configuration_error', `There is nothing to sign requests with: ${error.message}`, error);
  if (!(error instanceof errors.OpenSearchClientError)) return error;
  if (error instanceof errors.TimeoutError)
    return engineError('vector_store_timeout', 'The OpenSearch cluster did not answer in time', error);
  if (error instanceof errors.RequestAbortedError)
    return engineError('client_closed_request', 'Nobody waits for the answer any more', error);
  if (error instanceof errors.ConnectionError || error instanceof errors.NoLivingConnectionsError)
    return engineError(
      'backend_communication_error',
      `The OpenSearch cluster cannot be reached: ${error.message}`,
      error,
    );
  if (error instanceof errors.ResponseError) return ofResponse(error);
  return engineError('backend_data_parsing_error', `An answer of OpenSearch cannot be read: ${error.message}`, error);
}

function ofResponse(error: errors.ResponseError): EngineError {
  const told = `OpenSearch answered ${error.statusCode}: ${error.message}`;
  switch (error.statusCode) {
    case 401:
    case 403:
      return kindOf(error) === 'cluster_block_exception'
        ? engineError('insufficient_storage', `The cluster takes no writes: ${told}`, error)
        : engineError('server_configuration_error', `The cluster refuses our credentials: ${told}`, error);
    case 429:
      // Blocked for want of disk, which waiting does not mend, or busy.
      return kindOf(error) === 'cluster_block_exception'
        ? engineError('insufficient_storage', `The cluster takes no writes: ${told}`, error)
        : engineError('too_many_requests', `The cluster is busy: ${told}`, error);
    case 503:
      return engineError('service_unavailable', `The cluster cannot serve the index now: ${told}`, error);
    case 504:
      return engineError('vector_store_timeout', told, error);
    default:
      return engineError('internal', told, error);
  }
}
