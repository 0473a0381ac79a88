import { setLogger } from '@pelorus/engine';
import type { FastifyBaseLogger } from 'fastify';
import { withoutUrlSecrets } from './http/url-secrets.js';

/**
 * Writes what the engine reports to the server's log, each record at its own level, from what it reported while it was
 * opened on. Returns a function that writes at once what waits: for the end of the process.
 */
export function logEngine(log: FastifyBaseLogger): () => void {
  return setLogger(({ level, target, message }) => log[level]({ target }, withoutUrlSecrets(message)));
}
