import { keyHandlers } from './auth/key-handlers.js';
import { backupHandlers } from './backups/backup-handlers.js';
import type { Handlers, Services } from './call.js';
import { documentHandlers } from './documents/document-handlers.js';
import { scanHandlers } from './documents/scan-handlers.js';
import { writeHandlers } from './documents/write-handlers.js';
import { modelHandlers } from './host/model-handlers.js';
import { queueHandlers } from './host/queues.js';
import { serviceHandlers } from './host/service-handlers.js';
import { aliasHandlers } from './indexes/alias-handlers.js';
import { curationHandlers } from './indexes/curation-handlers.js';
import { dualWriteHandlers } from './indexes/dual-write-handlers.js';
import { indexHandlers } from './indexes/index-handlers.js';
import { judgementHandlers } from './judgements/judgement-handlers.js';
import { logHandlers } from './log/log-handlers.js';
import { metricsHandlers } from './metrics/metrics-handlers.js';
import { embedHandlers } from './search/embed-handlers.js';
import { multiSearchHandlers } from './search/multi-search.js';
import { searchHandlers } from './search/search-handlers.js';
import { suggestionHandlers } from './search/suggestion-handlers.js';

/** The handler of every operation. */
export function handlersOf(services: Services): Handlers {
  return {
    ...serviceHandlers(services),
    ...metricsHandlers(services),
    ...logHandlers(services),
    ...queueHandlers(services),
    ...keyHandlers(services),
    ...backupHandlers(services.backups),
    ...indexHandlers(services),
    ...aliasHandlers(services),
    ...dualWriteHandlers(services),
    ...curationHandlers(services),
    ...judgementHandlers(services),
    ...documentHandlers(services),
    ...writeHandlers(services),
    ...scanHandlers(services),
    ...searchHandlers(services),
    ...multiSearchHandlers(services),
    ...suggestionHandlers(services),
    ...embedHandlers(services),
    ...modelHandlers(services),
  };
}
