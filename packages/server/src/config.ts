import { engineOptionsDefaults, operations } from '@pelorus/contract';
import { clusterConflict, clusterSettings } from './cluster-settings.js';
import { withoutUrlSecrets } from './http/url-secrets.js';
import type { PatchDetector, Preload } from './preloads.js';
import {
  awsRegion,
  backupPlace,
  baseUrl,
  headerList,
  hostNames,
  hub,
  integer,
  interval,
  logLevel,
  memorySize,
  networks,
  oneOf,
  origins,
  patchPreloads,
  positive,
  preloads,
  ratio,
  type Setting,
  setting,
  text,
  yesOrNo,
} from './setting-kinds.js';

/** The longest time that a client may name for a request, `maximum` of the header in the contract. */
const REQUEST_TIMEOUT_MS_MAX = operations.search.headers.properties['x-request-timeout-ms'].maximum;

/** Every setting of the server. The members of `Config` are these. */
export const settings = {
  host: setting<string>('PELORUS_HOST', 'host', '127.0.0.1', text, 'Address to listen on'),
  port: setting('PELORUS_PORT', 'port', 8882, integer(0, 65_535), 'Port to listen on; 0 for any free one'),
  allowedHosts: setting<readonly string[] | null>(
    'PELORUS_ALLOWED_HOSTS',
    'allowed-hosts',
    null,
    hostNames,
    'Names in Host headers to answer to besides addresses, localhost and the host; * for any',
  ),
  allowedOrigins: setting<readonly string[] | null>(
    'PELORUS_ALLOWED_ORIGINS',
    'allowed-origins',
    null,
    origins,
    'Origins of web pages that may call this server',
  ),
  keysEnforcement: setting<'full' | 'contract' | 'off'>(
    'PELORUS_KEYS_ENFORCEMENT',
    'keys-enforcement',
    'full',
    oneOf('full', 'contract', 'off'),
    'Keys that calls need where there are any: full, one of a sufficient scope; contract, one of any scope where the interface of Marqo says so; off, none',
  ),
  keysMax: setting('PELORUS_MAX_KEYS', 'max-keys', 50, integer(1, 10_000), 'Keys of this service'),
  dataDir: setting<string>('PELORUS_DATA_DIR', 'data', '.pelorus/data', text, 'Folder of the indexes'),
  modelsFile: setting<string>(
    'PELORUS_MODELS',
    'models',
    '',
    text,
    'File that maps model names to folders, or to services with their keys; none when empty',
  ),
  modelDir: setting<string>(
    'PELORUS_MODEL_DIR',
    'model-dir',
    '',
    text,
    "Folder that models are kept in; one in the user's cache folder when empty",
  ),
  hub: setting<string>(
    'PELORUS_HUB',
    'hub',
    'https://huggingface.co',
    hub,
    'Hub that models come from; none to download none, from a hub, Maven, a URL or a bucket',
  ),
  modelNetworks: setting<readonly string[] | null>(
    'PELORUS_MODEL_DOWNLOAD_ALLOWED_NETWORKS',
    'model-download-allowed-networks',
    null,
    networks,
    'Networks that models may be fetched from, and services asked in for vectors, by addresses in requests, although they are not public',
  ),
  s3Endpoint: setting<string>(
    'PELORUS_S3_ENDPOINT',
    's3-endpoint',
    '',
    baseUrl,
    'Address of the service that buckets of models are in; the one of Amazon in the region when empty',
  ),
  s3Region: setting<string>(
    'PELORUS_S3_REGION',
    's3-region',
    'us-east-1',
    awsRegion,
    'Region that these buckets are looked for in first',
  ),
  mediaNetworks: setting<readonly string[] | null>(
    'MARQO_MEDIA_DOWNLOAD_ALLOWED_NETWORKS',
    'media-download-allowed-networks',
    null,
    networks,
    'Networks that pictures, films and sounds may be fetched from although they are not public',
  ),
  mediaConnections: setting<number | null>(
    'MARQO_MEDIA_DOWNLOAD_THREAD_COUNT_PER_REQUEST',
    'media-download-thread-count-per-request',
    null,
    integer(1),
    'Pictures, films and sounds that one request fetches at once',
  ),
  imageConnections: setting<number | null>(
    'MARQO_IMAGE_DOWNLOAD_THREAD_COUNT_PER_REQUEST',
    'image-download-thread-count-per-request',
    null,
    integer(1),
    'The same, where it is not set, for models that take no films and sounds',
  ),
  documentMediaBytesMax: setting(
    'MARQO_MAX_ADD_DOCS_VIDEO_AUDIO_FILE_SIZE',
    'max-add-docs-video-audio-file-size',
    387_973_120,
    integer(1),
    'Bytes of a film or sound in a document',
  ),
  queryMediaBytesMax: setting(
    'MARQO_MAX_SEARCH_VIDEO_AUDIO_FILE_SIZE',
    'max-search-video-audio-file-size',
    387_973_120,
    integer(1),
    'Bytes of a film or sound in a query',
  ),
  ffmpeg: setting<string>(
    'PELORUS_FFMPEG',
    'ffmpeg',
    'ffmpeg',
    text,
    'Program that reads films and sounds, 5.1 or newer, by its name on the path or its file; none to do without',
  ),
  modelMemoryMax: setting(
    'MARQO_MAX_CPU_MODEL_MEMORY',
    'max-cpu-model-memory',
    4,
    positive,
    'Size that the models loaded at once stay below, about one per gigabyte, all their copies counted',
  ),
  cudaModelMemoryMax: setting(
    'MARQO_MAX_CUDA_MODEL_MEMORY',
    'max-cuda-model-memory',
    4,
    positive,
    'As --max-cpu-model-memory, of each CUDA device',
  ),
  encoder: setting<'auto' | 'pelorus' | 'onnxruntime'>(
    'PELORUS_ENCODER',
    'encoder',
    'auto',
    oneOf('auto', 'pelorus', 'onnxruntime'),
    'Program that runs models: pelorus, an encoder of Pelorus for the graphs that it knows, and ONNX Runtime for all others; auto, the same, except where ONNX Runtime is faster on this machine; or onnxruntime',
  ),
  encoderPrecision: setting<'f32' | 'bf16' | 'int8'>(
    'PELORUS_ENCODER_PRECISION',
    'encoder-precision',
    'f32',
    oneOf('f32', 'bf16', 'int8'),
    'Numbers that an encoder of Pelorus multiplies in; bf16 is faster on processors with AMX or AVX-512 BF16, and less exact; int8 is faster than f32, the least exact, and needs a calibration of each model of texts (`pelorus models calibrate`)',
  ),
  vectoriseBatchMax: setting<number | null>(
    'MARQO_MAX_VECTORISE_BATCH_SIZE',
    'max-vectorise-batch-size',
    null,
    integer(1),
    'Texts or pictures that a model computes at once; as many as keep a core busy when none is named',
  ),
  inferenceCacheSize: setting<number | null>(
    'MARQO_INFERENCE_CACHE_SIZE',
    'inference-cache-size',
    null,
    integer(0),
    'Queries whose vectors are kept, 0 for none; as many as 32 MiB hold when none is named',
  ),
  inferenceCacheType: setting<'lru' | 'lfu'>(
    'MARQO_INFERENCE_CACHE_TYPE',
    'inference-cache-type',
    'lru',
    oneOf('lru', 'lfu'),
    'Order in which these vectors leave: lru, those used longest ago first; lfu, those used least often first',
  ),
  preloads: setting<readonly Preload[] | ''>(
    'MARQO_MODELS_TO_PRELOAD',
    'models-to-preload',
    '',
    preloads,
    'Models to load at start: a JSON array of names, or of objects with model and modelProperties',
  ),
  patchPreloads: setting<readonly PatchDetector[] | ''>(
    'MARQO_PATCH_MODELS_TO_PRELOAD',
    'patch-models-to-preload',
    '',
    patchPreloads,
    'Models to load at start that take pictures apart: a JSON array of patch methods',
  ),
  logLevel: setting<'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'>(
    'MARQO_LOG_LEVEL',
    'log-level',
    'info',
    logLevel,
    'Least severe log lines to write',
  ),
  documentsPerBatchMax: setting(
    'MARQO_MAX_DOCUMENTS_BATCH_SIZE',
    'max-documents-batch-size',
    128,
    integer(1, 65_536),
    'Documents per add or update request',
  ),
  documentBytesMax: setting<number | null>(
    'MARQO_MAX_DOC_BYTES',
    'max-doc-bytes',
    100_000,
    {
      read: (value) => (value === '' ? null : integer(1).read(value)),
      expected: 'an integer of at least 1, or empty for no limit',
    },
    'Bytes per document, vectors apart',
  ),
  retrievableDocumentsMax: setting(
    'MARQO_MAX_RETRIEVABLE_DOCS',
    'max-retrievable-docs',
    10_000,
    integer(1),
    'Ids per get request, and limit plus offset of a search',
  ),
  deletesPerRequestMax: setting(
    'MARQO_MAX_DELETE_DOCS_COUNT',
    'max-delete-docs',
    10_000,
    integer(1),
    'Ids per delete request',
  ),
  searchLimitMax: setting('MARQO_MAX_SEARCH_LIMIT', 'max-search-limit', 1000, integer(1), 'Hits per search'),
  searchOffsetMax: setting(
    'MARQO_MAX_SEARCH_OFFSET',
    'max-search-offset',
    10_000,
    integer(0),
    'Hits a search may skip',
  ),
  efSearchDefault: setting(
    'MARQO_DEFAULT_EF_SEARCH',
    'default-ef-search',
    2000,
    integer(1, 20_000),
    'Default efSearch: most candidates of a graph search',
  ),
  searchableTensorAttributesMax: setting<number | null>(
    'MARQO_MAX_SEARCHABLE_TENSOR_ATTRIBUTES',
    'max-searchable-tensor-attributes',
    null,
    {
      read: (value) => (value === '' ? null : integer(1).read(value)),
      expected: 'an integer of at least 1, or empty for no limit',
    },
    'Fields a tensor search may name',
  ),
  inFilterValuesMax: setting(
    'MARQO_MAX_IN_FILTER_IDS',
    'max-in-filter-ids',
    engineOptionsDefaults.inFilterValuesMax,
    integer(1, 250_000),
    'Values of one IN list of a filter',
  ),
  contextDocumentsMax: setting(
    'MARQO_MAX_SEARCH_CONTEXT_DOCS',
    'max-search-context-docs',
    10,
    integer(1, 1000),
    "Documents in a search's context",
  ),
  lexicalFieldsMax: setting(
    'MARQO_MAX_LEXICAL_FIELD_COUNT_UNSTRUCTURED',
    'max-lexical-fields',
    // The original has 100, since each is a change of its schema. Here a name is part of a term: a search of all of a
    // thousand fields takes milliseconds.
    engineOptionsDefaults.lexicalFieldsMax,
    integer(1, 50_000),
    'Text fields of an unstructured index',
  ),
  tensorFieldsMax: setting(
    'MARQO_MAX_TENSOR_FIELD_COUNT_UNSTRUCTURED',
    'max-tensor-fields',
    engineOptionsDefaults.tensorFieldsMax,
    integer(1, 10_000),
    'Tensor fields of an unstructured index',
  ),
  suggestionsMax: setting(
    'PELORUS_MAX_SUGGESTIONS',
    'max-suggestions',
    engineOptionsDefaults.suggestionsMax,
    integer(1, 100_000_000),
    'Queries that one index suggests',
  ),
  suggestionBytesMax: setting(
    'PELORUS_MAX_SUGGESTION_BYTES',
    'max-suggestion-bytes',
    engineOptionsDefaults.suggestionBytesMax,
    integer(1, 1_073_741_824),
    'Bytes of the texts and metadata of the queries that one index suggests',
  ),
  lockTimeoutSeconds: setting(
    'MARQO_INDEX_DEPLOYMENT_LOCK_TIMEOUT',
    'index-lock-timeout',
    5,
    integer(0, 3600),
    'Seconds that creating or deleting an index waits for another such call',
  ),
  addsAtOnceMax: setting('MARQO_MAX_CONCURRENT_INDEX', 'max-concurrent-index', 64, integer(1), 'Add requests at once'),
  updatesAtOnceMax: setting(
    'MARQO_MAX_CONCURRENT_PARTIAL_UPDATE',
    'max-concurrent-partial-update',
    100,
    integer(1),
    'Update requests at once',
  ),
  searchesAtOnceMax: setting(
    'MARQO_MAX_CONCURRENT_SEARCH',
    'max-concurrent-search',
    512,
    integer(1),
    'Search and embed requests at once',
  ),
  throttling: setting<boolean>(
    'MARQO_ENABLE_THROTTLING',
    'enable-throttling',
    true,
    yesOrNo,
    'Refuse requests beyond those at once',
  ),
  searchTimeoutMs: setting(
    'VESPA_SEARCH_TIMEOUT_MS',
    'search-timeout-ms',
    30_000,
    integer(1, REQUEST_TIMEOUT_MS_MAX),
    'Milliseconds after which a search that names no time of its own answers 504',
  ),
  slowSearchMs: setting(
    'PELORUS_SLOW_SEARCH_MS',
    'slow-search-ms',
    1_000,
    integer(1),
    'Milliseconds from which a search is slow: the log warns of it, and /slow-requests keeps it',
  ),
  slowWriteMs: setting(
    'PELORUS_SLOW_WRITE_MS',
    'slow-write-ms',
    10_000,
    integer(1),
    'The same of a request that adds or updates documents',
  ),
  otlpEndpoint: setting<string>(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'otlp-endpoint',
    '',
    baseUrl,
    'Address of a collector of OpenTelemetry that takes traces at /v1/traces below it; no traces when empty',
  ),
  otlpHeaders: setting<Readonly<Record<string, string>> | null>(
    'OTEL_EXPORTER_OTLP_HEADERS',
    'otlp-headers',
    null,
    headerList,
    'Headers for it, as name=value between commas',
  ),
  otlpServiceName: setting<string>(
    'OTEL_SERVICE_NAME',
    'otlp-service-name',
    'pelorus',
    text,
    'Name of this service in traces',
  ),
  traceRatio: setting(
    'OTEL_TRACES_SAMPLER_ARG',
    'trace-ratio',
    0.01,
    ratio,
    'Share of the requests that traces tell of, from 0 to 1; a request whose traceparent is sampled is always told',
  ),
  maxMemory: setting<number | null>(
    'PELORUS_MAX_MEMORY',
    'max-memory',
    null,
    memorySize,
    'Memory this server may hold, in bytes or as in 4GiB: adds and updates are refused above three quarters of it; the limit of the system when empty',
  ),
  codeMemoryMax: setting<number | null>(
    'PELORUS_MAX_CODE_MEMORY',
    'max-code-memory',
    null,
    memorySize,
    'Memory for the int8 codes of vectors, in bytes or as in 4GiB: those beyond it lie in files of the data folder; none when empty',
  ),
  auditIntervalMinutes: setting(
    'PELORUS_AUDIT_INTERVAL_MINUTES',
    'audit-interval-minutes',
    engineOptionsDefaults.auditIntervalSeconds / 60,
    integer(0, 525_600),
    'Minutes between two audits of an index, which compare its documents with all that is derived from them; 0 for none',
  ),
  batchApis: setting<boolean>(
    'MARQO_ENABLE_BATCH_APIS',
    'enable-batch-apis',
    false,
    yesOrNo,
    'Serve the operations that create or delete many indexes or documents at once',
  ),
  opsApi: setting<boolean>(
    'MARQO_ENABLE_OPS_API',
    'enable-ops-api',
    false,
    yesOrNo,
    'Serve the check of settings, and their change',
  ),
  debugApi: setting<boolean>('MARQO_ENABLE_DEBUG_API', 'enable-debug-api', false, yesOrNo, 'Serve GET /memory'),
  hosted: setting<boolean>(
    'PELORUS_HOSTED',
    'hosted',
    false,
    yesOrNo,
    'Serve the hosted form: a control plane, and each index in a process of its own behind an endpoint of its own',
  ),
  publicUrl: setting<string>(
    'PELORUS_PUBLIC_URL',
    'public-url',
    '',
    baseUrl,
    'Address that clients reach this server by, as records of hosted indexes show it; the one they call when empty',
  ),
  shopModel: setting<string>(
    'PELORUS_SHOP_MODEL',
    'shop-model',
    'hf/all-MiniLM-L6-v2',
    text,
    'Model of new shops of the type ecommerce; one that takes pictures sees those of products',
  ),
  chatUrl: setting<string>(
    'PELORUS_CHAT_URL',
    'chat-url',
    '',
    baseUrl,
    'Address of a language model for agentic discovery, with /chat/completions below it; none when empty',
  ),
  chatModel: setting<string>('PELORUS_CHAT_MODEL', 'chat-model', '', text, 'Name of that language model'),
  chatKey: setting<string>('PELORUS_CHAT_KEY', 'chat-key', '', text, 'Key for it, sent as a bearer token'),
  hostedIndexesMax: setting(
    'PELORUS_MAX_HOSTED_INDEXES',
    'max-hosted-indexes',
    20,
    integer(1, 10_000),
    'Hosted indexes',
  ),
  indexChangesPerMinute: setting(
    'PELORUS_INDEX_CHANGES_PER_MINUTE',
    'index-changes-per-minute',
    60,
    integer(1),
    'Calls in a minute by which one key may have hosted indexes created, changed and deleted',
  ),
  shopperCallsPerMinute: setting(
    'PELORUS_SHOPPER_CALLS_PER_MINUTE',
    'shopper-calls-per-minute',
    30_000,
    integer(1),
    'Calls in a minute by the index id of one shop, a sixth of them at once; calls with a key are not counted',
  ),
  shopperCallsPerAddress: setting(
    'PELORUS_SHOPPER_CALLS_PER_ADDRESS',
    'shopper-calls-per-address',
    6_000,
    integer(1),
    'The same from one address, of IPv6 from 64 bits of it; behind a proxy all shoppers have the address of the proxy',
  ),
  recordNumbers: setting<'string' | 'number'>(
    'PELORUS_RECORD_NUMBERS',
    'record-numbers',
    'string',
    oneOf('string', 'number'),
    'How counts stand in records of hosted indexes: string, as most clients read them, or number',
  ),
  inferenceThreads: setting<number | null>(
    'PELORUS_INFERENCE_THREADS',
    'inference-threads',
    null,
    integer(1, 256),
    'Threads that run models, those on ONNX Runtime each with a copy where there is room; as many as there are cores when none is named',
  ),
  httpThreads: setting<number | null>(
    'PELORUS_HTTP_THREADS',
    'http-threads',
    null,
    integer(1, 64),
    'Threads that receive and answer requests, on Linux; with --hosted those of the process of each index, on any system. When none is named, one for each two cores and each GiB of memory, and at most eight',
  ),
  httpHangSeconds: setting(
    'PELORUS_HTTP_HANG_SECONDS',
    'http-hang-seconds',
    120,
    integer(10, 86_400),
    'With several threads of --http-threads, seconds without a turn of one of them after which the server stops, so that it is started anew; a quarter of that is told in the log and in /health',
  ),
  indexesMax: setting('PELORUS_MAX_INDEXES', 'max-indexes', 1000, integer(1), 'Indexes of this service'),
  backupTo: setting<string>(
    'PELORUS_BACKUP_TO',
    'backup-to',
    '',
    backupPlace,
    'Place of backups: a folder, or s3://bucket/prefix; no backups over HTTP when empty',
  ),
  backupEverySeconds: setting<number | null>(
    'PELORUS_BACKUP_EVERY',
    'backup-every',
    null,
    interval,
    'Time from one backup of everything to the next, as 24h; none by themselves when empty',
  ),
  backupKeep: setting(
    'PELORUS_BACKUP_KEEP',
    'backup-keep',
    14,
    integer(1, 10_000),
    'Backups of --backup-every that are kept: older ones are deleted after each',
  ),
  backupS3Endpoint: setting<string>(
    'PELORUS_BACKUP_S3_ENDPOINT',
    'backup-s3-endpoint',
    '',
    baseUrl,
    'Address of the service that the bucket of backups is in; the one of Amazon in the region when empty',
  ),
  backupS3Region: setting<string>(
    'PELORUS_BACKUP_S3_REGION',
    'backup-s3-region',
    'us-east-1',
    awsRegion,
    'Region of that bucket',
  ),
  ...clusterSettings,
} as const;

export { listening, loopCount } from './loops/loop-count.js';
export { settingGroups } from './setting-groups.js';

type Settings = typeof settings;

/** The settings in force. */
export type Config = { readonly [Name in keyof Settings]: Settings[Name]['fallback'] };

/** A setting with a value that cannot be used. The message is one line and names the setting. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads the settings, once, at start: a flag wins over the environment, an empty variable counts as unset where a
 * number or a word is due.
 * @param flags by flag name, as the command line has them
 * @throws ConfigError for the first value that cannot be used
 */
export function readConfig(
  env: Readonly<Record<string, string | undefined>> = {},
  flags: Readonly<Record<string, string | undefined>> = {},
): Config {
  const entries = Object.entries<Setting<unknown>>(settings).map(([name, one]) => [name, chosenValue(one, env, flags)]);
  const config = Object.fromEntries(entries) as Config;
  requireOwnEncoder(config);
  const conflict = clusterConflict(config);
  if (conflict !== null) throw new ConfigError(conflict);
  if (config.backupEverySeconds !== null && config.backupTo === '')
    throw new ConfigError('--backup-every is set, but no place of backups is named; set --backup-to');
  return config;
}

/** A precision of our encoders is refused where they run nothing. */
function requireOwnEncoder({ encoder, encoderPrecision }: Config): void {
  if (encoder !== 'onnxruntime' || encoderPrecision === 'f32') return;
  throw new ConfigError(
    `ONNX Runtime computes in f32, received ${encoderPrecision} in --encoder-precision; set --encoder to auto, or --encoder-precision to f32`,
  );
}

function chosenValue(
  one: Setting<unknown>,
  env: Readonly<Record<string, string | undefined>>,
  flags: Readonly<Record<string, string | undefined>>,
): unknown {
  const flag = flags[one.flag];
  const given = flag ?? env[one.env];
  if (given === undefined) return one.fallback;
  const value = one.read(given.trim());
  if (value !== undefined) return value;
  if (given.trim() === '') return one.fallback;
  const source = flag === undefined ? one.env : `--${one.flag}`;
  throw new ConfigError(`${source} is ${withoutUrlSecrets(JSON.stringify(given))}, but must be ${one.expected}`);
}
