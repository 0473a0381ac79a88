import { randomBytes } from 'node:crypto';

/** Tells that nodes of the cluster are killed amid the tests. */
const isKilled = (process.env.PELORUS_TEST_KILLS ?? '') !== '';

/** The states that a whole service may be in. */
export const HEALTHS: readonly string[] = isKilled ? ['green', 'yellow'] : ['green'];

/**
 * Flags for a server with its indexes on the cluster of this run, where `PELORUS_TEST_ENGINE` is `opensearch`; none
 * otherwise.
 */
export function engineFlags(): string[] {
  const { PELORUS_TEST_ENGINE: engine, PELORUS_TEST_OPENSEARCH: nodes } = process.env;
  if (engine !== 'opensearch' || !nodes) return [];
  const prefix = `t${randomBytes(6).toString('hex')}`;
  return [
    ...['--engine', 'opensearch', '--opensearch', nodes],
    ...['--opensearch-prefix', prefix, '--opensearch-replicas', isKilled ? '1' : '0'],
  ];
}
