import { expect, test } from 'vitest';
import { ConfigError, loopCount, readConfig } from '../src/config.js';

const cluster = { engine: 'opensearch', opensearch: 'https://a:9200' };

test('indexes are in the data folder unless a cluster is asked for', () => {
  expect(readConfig()).toMatchObject({ engine: 'embedded', openSearch: null });
  const env = { PELORUS_ENGINE: 'OpenSearch', PELORUS_OPENSEARCH: 'https://a:9200/, http://b/search' };
  expect(readConfig(env)).toMatchObject({
    ...{ engine: 'opensearch', openSearch: ['https://a:9200', 'http://b/search'] },
    ...{ openSearchPrefix: 'pelorus', openSearchShards: 1, openSearchReplicas: 1 },
  });
});

test('a server that writes to both engines serves from either, with one event loop', () => {
  const both = { 'dual-write': 'true', opensearch: 'https://a:9200', 'max-code-memory': '1GiB' };
  for (const engine of ['embedded', 'opensearch']) {
    const config = readConfig({}, { ...both, engine });
    expect(config).toMatchObject({ engine, dualWrite: true });
    expect(loopCount(config, 16, 'linux')).toBe(1);
  }
  expect(readConfig({}, { ...both, 'backup-to': '/a' })).toMatchObject({ engine: 'embedded', backupTo: '/a' });
});

test.each([
  [{ engine: 'elastic' }, '--engine is "elastic", but must be one of embedded, opensearch'],
  [{ ...cluster, opensearch: 'a:9200' }, '--opensearch is "a:9200", but must be http or https addresses'],
  [{ ...cluster, opensearch: 'https://a,' }, '--opensearch is "https://a,", but must be'],
  [{ ...cluster, 'opensearch-prefix': 'a-b' }, '--opensearch-prefix is "a-b", but must be up to 32 lower case letters'],
  [{ ...cluster, 'opensearch-shards': '0' }, '--opensearch-shards is "0", but must be an integer from 1 to 1024'],
  [{ ...cluster, 'opensearch-replicas': '-1' }, '--opensearch-replicas is "-1", but must be an integer from 0 to 100'],
  [
    { ...cluster, 'opensearch-aws-region': 'a b' },
    '--opensearch-aws-region is "a b", but must be the name of a region',
  ],
  [{ engine: 'opensearch' }, 'no cluster is named; set --opensearch'],
  [{ opensearch: 'https://a' }, '--opensearch is set, but --engine is embedded'],
  [{ 'dual-write': 'true' }, '--dual-write writes to a cluster as well, but none is named'],
  [{ ...cluster, 'dual-write': 'true', hosted: 'true' }, '--dual-write is for one process'],
  [{ ...cluster, 'dual-write': 'true', 'http-threads': '2' }, '--dual-write has one event loop'],
  [{ 'dual-write': 'true', opensearch: 'http://a', 'opensearch-ca': 'a' }, '--opensearch-ca is set, but an address'],
  [{ 'opensearch-shards': '2' }, '--opensearch-shards is set, but --engine is embedded'],
  [{ ...cluster, hosted: 'true' }, '--hosted keeps each index in a process of its own'],
  [{ ...cluster, 'max-code-memory': '1GiB' }, '--max-code-memory is set'],
  [{ ...cluster, 'backup-to': '/a' }, '--backup-to has copies of indexes in the data folder, and --engine opensearch'],
  [{ ...cluster, 'backup-to': '/a', 'dual-write': 'true' }, 'leave --backup-to out'],
  [{ ...cluster, 'opensearch-user': 'a' }, '--opensearch-user and --opensearch-password go together'],
  [{ ...cluster, 'opensearch-password': 'a' }, '--opensearch-user and --opensearch-password go together'],
  [
    { ...cluster, 'opensearch-certificate': 'a' },
    '--opensearch-certificate and --opensearch-certificate-key go together',
  ],
  [
    { ...cluster, 'opensearch-aws-region': 'eu-west-1', 'opensearch-user': 'a', 'opensearch-password': 'b' },
    '--opensearch-aws-region signs requests',
  ],
  [{ ...cluster, opensearch: 'https://a,http://b', 'opensearch-ca': 'a' }, '--opensearch-ca is set, but an address'],
])('settings of a cluster that cannot be used fail at start and are named: %j', (flags, message) => {
  expect(() => readConfig({}, flags)).toThrow(ConfigError);
  expect(() => readConfig({}, flags)).toThrow(message);
});

test('credentials in an address are refused, and not told', () => {
  const read = () => readConfig({ PELORUS_OPENSEARCH: 'https://user:SECRET@a:9200,https://b' });
  expect(read).toThrow('PELORUS_OPENSEARCH is "https://a:9200');
  expect(read).not.toThrow('SECRET');
});
