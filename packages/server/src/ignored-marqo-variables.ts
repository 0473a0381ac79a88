/** Variables that operators of this interface may have set, and why none of them changes anything here. */
export const IGNORED_MARQO_VARIABLES: Readonly<Record<string, string>> = {
  MARQO_API_INFERENCE_CACHE_SIZE: 'the only cache of vectors is that of MARQO_INFERENCE_CACHE_SIZE',
  MARQO_API_INFERENCE_CACHE_TYPE: 'the only cache of vectors is that of MARQO_INFERENCE_CACHE_TYPE',
  MARQO_MODEL_CACHE_PATH: 'models are kept in the folder that PELORUS_MODEL_DIR names',
  MARQO_INFERENCE_POOL_SIZE: 'models run in this process, on the threads of PELORUS_INFERENCE_THREADS',
  MARQO_INFERENCE_TIMEOUT: 'models run in this process, and a search ends after VESPA_SEARCH_TIMEOUT_MS',
  MARQO_BEST_AVAILABLE_DEVICE: 'models run on the CPU where a request names no device',
  MARQO_ENABLE_VIDEO_GPU_ACCELERATION: 'films are decoded on the CPU',
  MARQO_THREAD_EXPIRY_TIME: 'a request gives its place back when it ends',
  MARQO_ENABLE_UPGRADE_API: 'no call upgrades an index',
  MARQO_VESPA_CONVERGENCE_TIMEOUT: 'an index is there once its creation is answered',
  MARQO_ENABLE_ADD_DOCUMENTS_CONVERGENCE_CHECK: 'an index is there once its creation is answered',
  MARQO_MAX_STRING_ARRAY_FIELD_COUNT_UNSTRUCTURED: 'fields that hold lists of texts are not counted apart',
  MARQO_LOG_FORMAT: 'lines of the log are JSON, but on a terminal for people',
  MARQO_ROOT_PATH: 'nothing is looked for beside the program',
  MARQO_MAX_INDEX_FIELDS: 'nothing ever read it',
  MARQO_EF_CONSTRUCTION_MAX_VALUE: 'nothing ever read it',
  MARQO_MAX_NUMBER_OF_REPLICAS: 'nothing ever read it',
};

/** The remarks for an operator about each of them that is set. */
export function ignoredMarqoVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(IGNORED_MARQO_VARIABLES)
    .filter(([name]) => (env[name] ?? '').trim() !== '')
    .map(([name, reason]) => `${name} is set and changes nothing: ${reason}`);
}
