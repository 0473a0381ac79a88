import { type ErrorCode, isErrorCode, PelorusError, UnprocessableError } from '@pelorus/contract';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { type SerializedError, stdSerializers } from 'pino';
import { placeOf, wrong } from '../validation/problems.js';
import { clientWentAway } from './deadline.js';
import { splitTarget } from './paths.js';
import { REQUEST_ID } from './request-id.js';
import { securityHeaders } from './security-headers.js';
import { withoutUrlSecrets } from './url-secrets.js';

/** Errors of the framework and the codes they are answered with. */
const frameworkCodes: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_BAD_URL: 'bad_request',
  FST_ERR_ASYNC_CONSTRAINT: 'bad_request',
};

/** The parts of a request by which its errors are told. */
export type FailedRequest = Pick<FastifyRequest, 'id' | 'log'> & {
  readonly raw: Pick<FastifyRequest['raw'], 'destroyed' | 'complete'>;
};

/** Any thrown value as an error with a code. An unexpected value becomes `internal` and tells nothing. */
export function toError(error: unknown, request: FailedRequest): PelorusError {
  if (error instanceof PelorusError) return error;
  const { code, message, statusCode } = error as FastifyError;
  if (hungUp(request)) return new PelorusError('bad_request', 'The connection ended before the request did');
  // A large answer is a stream, which the framework ends with the connection.
  if (code === 'ERR_STREAM_PREMATURE_CLOSE' && request.raw.destroyed) return clientWentAway();
  if (isErrorCode(code)) return new PelorusError(code, message, { cause: error, headers: retryHeaders(code) });
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new UnprocessableError([wrong('type_error.dict', placeOf('body'))]);
  const known = frameworkCodes[code];
  if (known !== undefined) return new PelorusError(known, message, { cause: error });
  // A plugin's own refusal, of a path that leads out of the folder of the documentation for one.
  if (statusCode === 403 || statusCode === 404) return new PelorusError('not_found', 'There is no such path');
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new PelorusError('bad_request', message);
  return new PelorusError('internal', `The server met an unexpected error. Its log has it as request ${request.id}.`, {
    cause: error,
  });
}

/** Seconds after which a request that a storage engine refused for now may be sent again, by code. */
const retryAfterSeconds: { readonly [Code in ErrorCode]?: number } = {
  too_many_requests: 1,
  service_unavailable: 2,
  insufficient_storage: 5,
};

function retryHeaders(code: ErrorCode): Record<string, string> {
  const seconds = retryAfterSeconds[code];
  return seconds === undefined ? {} : { 'retry-after': String(seconds) };
}

/** Tells whether the client went away before its request was whole: nobody's fault, and nobody waits for the answer. */
function hungUp({ raw }: FailedRequest): boolean {
  return raw.destroyed && !raw.complete;
}

/** Most bytes of a refused body that are read and dropped, so that a client that is still sending sees the answer. */
export const DRAIN_BYTES_MAX = 256 * 1024 * 1024;

/** The fate of the connection of a request whose body is not read. */
export function connectionAfter({ headers }: FastifyRequest): 'keep-alive' | 'close' {
  const length =
    headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Number.POSITIVE_INFINITY;
  return length <= DRAIN_BYTES_MAX ? 'keep-alive' : 'close';
}

/** The refusal of a body above the limit of its route. */
export function tooLarge(request: FastifyRequest): PelorusError {
  const { bodyLimit, url = '' } = request.routeOptions;
  return new PelorusError(
    'payload_too_large',
    `The request body exceeds the limit of ${bodyLimit} bytes for ${request.method} ${url}`,
  );
}

/** The form of an error in the log: with stack and causes, without the secrets of URLs that its message quotes. */
export function loggedError(error: Error): SerializedError {
  const logged = stdSerializers.err(error);
  for (const [name, value] of Object.entries(logged)) {
    if (typeof value === 'string') logged[name] = withoutUrlSecrets(value);
  }
  return logged;
}

const CONTROL_PLANE = '/api/v2/';

/** The message under the name that some clients of the control plane read, there. */
export function errorMember({ raw, routeOptions }: FastifyRequest, { message }: PelorusError): { error?: string } {
  const path = routeOptions.url ?? splitTarget(raw.url ?? '/').path;
  return `${path}/`.startsWith(CONTROL_PLANE) ? { error: message } : {};
}

/** The body that every error of this interface has. */
export function errorBytes(error: PelorusError, members: object = {}): Buffer {
  return Buffer.from(withoutUrlSecrets(JSON.stringify({ ...error.toBody(), ...members })));
}

/** Answers with an error. */
export function sendError(reply: FastifyReply, error: PelorusError): FastifyReply {
  return reply
    .code(error.status)
    .headers({ ...error.headers, 'content-type': 'application/json' })
    .send(errorBytes(error, errorMember(reply.request, error)));
}

/**
 * The error that is told for a thrown value: errors of ours are logged with their cause, those of the caller only where
 * the log may say more than the answer does.
 */
export function toldError(error: unknown, request: FailedRequest): PelorusError {
  const answered = toError(error, request);
  if (hungUp(request)) request.log.debug('the client went away before its request was whole');
  const { status } = answered;
  // Errors that pass by themselves may be answered to every request for a while, a client may set its own deadline, and
  // a part that is not there to be called is a state, no error of the program: one line, no stack.
  const isState = answered.code === 'service_unavailable' && answered.cause === undefined;
  const passes = answered.headers['retry-after'] !== undefined || answered.code === 'vector_store_timeout' || isState;
  if (status >= 500 && passes) request.log.warn({ status }, withoutUrlSecrets(answered.message));
  else if (status >= 500) request.log.error({ err: answered.cause ?? answered }, withoutUrlSecrets(answered.message));
  else if (answered.cause instanceof PelorusError)
    request.log.warn({ status }, withoutUrlSecrets(answered.cause.message));
  return answered;
}

/** The one error handler. */
export function handleError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const answered = toldError(error, request);
  request.errorCode = answered.code;
  if (!request.raw.readableDidRead && connectionAfter(request) === 'close') reply.header('connection', 'close');
  return sendError(reply, answered);
}

/** As `handleError`, for errors met before a route was found, where no hook has run. */
export function handleFrameworkError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({ ...securityHeaders, [REQUEST_ID]: request.id });
  sendError(reply, toError(error, request));
}
