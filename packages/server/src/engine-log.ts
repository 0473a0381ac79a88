import { setLogger } from '@pelorus/engine';
import type { FastifyBaseLogger } from 'fastify';
import { withoutUrlSecrets } from './http/url-secrets.js';

/**
 * Writes the engine's reports to the server's log, each record at its own level, from those of its opening on. Returns
 * a function that writes waiting records at once: for the end of the process.
 */
export function logEngine(log: FastifyBaseLogger): () => void {
  return setLogger(({ level, target, message }) => log[level]({ target }, withoutUrlSecrets(message)));
}
