import { awsRegion, baseUrl, integer, listOf, oneOf, setting, text, yesOrNo } from './setting-kinds.js';

/** Addresses of nodes. Credentials in them would be told with every error. */
const nodes = {
  read: listOf((address) => (address.includes('@') ? undefined : baseUrl.read(address.replace(/\/+$/, '')))),
  expected: 'http or https addresses without credentials or a query, separated by commas',
};

/** Begins names of indexes on a cluster, which has no others. */
const prefix = {
  read: (value: string) => (/^[a-z][a-z0-9]{0,31}$/.test(value) ? value : undefined),
  expected: 'up to 32 lower case letters and digits, a letter first',
};

/** The settings of the place where indexes are. Those of a cluster count with `--engine opensearch` or `--dual-write` alone. */
export const clusterSettings = {
  engine: setting<'embedded' | 'opensearch'>(
    'PELORUS_ENGINE',
    'engine',
    'embedded',
    oneOf('embedded', 'opensearch'),
    'Place of the indexes: embedded, the data folder; opensearch, the cluster of --opensearch',
  ),
  dualWrite: setting<boolean>(
    'PELORUS_DUAL_WRITE',
    'dual-write',
    false,
    yesOrNo,
    'Copy all that is written to the other engine as well, to move there',
  ),
  openSearch: setting<readonly string[] | null>(
    'PELORUS_OPENSEARCH',
    'opensearch',
    null,
    nodes,
    'Addresses of nodes of the cluster, separated by commas: one is enough, several survive the loss of one',
  ),
  openSearchUser: setting<string>('PELORUS_OPENSEARCH_USER', 'opensearch-user', '', text, 'Name to log in with'),
  openSearchPassword: setting<string>(
    'PELORUS_OPENSEARCH_PASSWORD',
    'opensearch-password',
    '',
    text,
    'Password of --opensearch-user',
  ),
  openSearchCa: setting<string>(
    'PELORUS_OPENSEARCH_CA',
    'opensearch-ca',
    '',
    text,
    'File of certificates in PEM that vouch for nodes; those that Node.js trusts when empty',
  ),
  openSearchCertificate: setting<string>(
    'PELORUS_OPENSEARCH_CERTIFICATE',
    'opensearch-certificate',
    '',
    text,
    'File of a certificate in PEM to log in with',
  ),
  openSearchCertificateKey: setting<string>(
    'PELORUS_OPENSEARCH_CERTIFICATE_KEY',
    'opensearch-certificate-key',
    '',
    text,
    'File of the key of --opensearch-certificate, in PEM',
  ),
  openSearchAwsRegion: setting<string>(
    'PELORUS_OPENSEARCH_AWS_REGION',
    'opensearch-aws-region',
    '',
    awsRegion,
    'Region of a domain of Amazon OpenSearch Service, for which requests are signed with the credentials that tools of Amazon find; none are when empty',
  ),
  openSearchPrefix: setting<string>(
    'PELORUS_OPENSEARCH_PREFIX',
    'opensearch-prefix',
    'pelorus',
    prefix,
    'Begins the names of all indexes there: services with prefixes of their own share a cluster',
  ),
  openSearchShards: setting(
    'PELORUS_OPENSEARCH_SHARDS',
    'opensearch-shards',
    1,
    integer(1, 1024),
    'Primary shards of an index that is created',
  ),
  openSearchReplicas: setting(
    'PELORUS_OPENSEARCH_REPLICAS',
    'opensearch-replicas',
    1,
    integer(0, 100),
    'Copies of each shard of such an index besides the first: as many nodes may be lost; 0 where there is one node',
  ),
} as const;

type ClusterSettings = { readonly [Name in keyof typeof clusterSettings]: (typeof clusterSettings)[Name]['fallback'] };

/** The settings that a cluster rules out. */
interface Others {
  readonly hosted: boolean;
  readonly codeMemoryMax: number | null;
  readonly httpThreads: number | null;
  readonly backupTo: string;
}

/** Returns the reason that these settings do not go together, which names one of them; null where they do. */
export function clusterConflict(config: ClusterSettings & Others): string | null {
  if (config.engine === 'embedded' && !config.dualWrite) {
    const set = Object.entries(clusterSettings).find(
      ([name, { fallback }]) => config[name as keyof ClusterSettings] !== fallback,
    );
    return set === undefined ? null : `--${set[1].flag} is set, but --engine is embedded; set --engine to opensearch`;
  }
  if (config.dualWrite && config.openSearch === null)
    return '--dual-write writes to a cluster as well, but none is named; set --opensearch';
  if (config.dualWrite && config.hosted)
    return '--hosted keeps each index in a process of its own, and --dual-write is for one process; leave one of them out';
  if (config.dualWrite && (config.httpThreads ?? 1) > 1)
    return '--dual-write has one event loop, but --http-threads is more; leave one of them out';
  const { openSearch, openSearchUser: user, openSearchPassword: password, openSearchAwsRegion: region } = config;
  const { openSearchCa: ca, openSearchCertificate: certificate, openSearchCertificateKey: key } = config;
  if (openSearch === null) return '--engine is opensearch, but no cluster is named; set --opensearch';
  if (config.hosted)
    return '--hosted keeps each index in a process of its own, and --engine opensearch on a cluster; set one of them';
  if (config.engine === 'opensearch' && config.backupTo !== '')
    return '--backup-to has copies of indexes in the data folder, and --engine opensearch keeps them on a cluster, whose snapshots keep them safe; leave --backup-to out';
  if (config.codeMemoryMax !== null && !config.dualWrite)
    return '--max-code-memory is set, but --engine opensearch keeps no vectors in this process; leave one of them out';
  if ((user === '') !== (password === ''))
    return '--opensearch-user and --opensearch-password go together, but one of them is empty';
  if ((certificate === '') !== (key === ''))
    return '--opensearch-certificate and --opensearch-certificate-key go together, but one of them is empty';
  if (region !== '' && user !== '')
    return '--opensearch-aws-region signs requests, which then carry no password; leave it or --opensearch-user out';
  if (ca + certificate !== '' && openSearch.some((address) => !address.startsWith('https:')))
    return `--opensearch-${ca === '' ? 'certificate' : 'ca'} is set, but an address of --opensearch does not begin with https`;
  return null;
}
