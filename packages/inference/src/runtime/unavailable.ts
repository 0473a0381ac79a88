import { PelorusError } from '@pelorus/contract';

/** Makes the error of inference that cannot run now and will: with another worker, or after the server's next start. */
export function inferenceUnavailable(message: string, cause?: unknown, retryAfterS = 1): PelorusError {
  return new PelorusError('service_unavailable', message, { cause, headers: { 'retry-after': String(retryAfterS) } });
}
