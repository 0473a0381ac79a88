import { PelorusError } from '@pelorus/contract';

/** Makes the error of inference that cannot run now and will: with another worker, or after the server's next start. */
export function inferenceUnavailable(message: string, cause?: unknown): PelorusError {
  return new PelorusError('service_unavailable', message, { cause, headers: { 'retry-after': '1' } });
}
