import { keyHandlers } from '../auth/key-handlers.js';
import type { Handlers, Services } from '../call.js';
import { documentHandlers } from './documents.js';
import { embedHandlers } from './embed.js';
import { indexHandlers } from './indexes.js';
import { modelHandlers } from './models.js';
import { scanHandlers } from './scan.js';
import { searchHandlers } from './search.js';
import { serviceHandlers } from './service.js';
import { suggestionHandlers } from './suggestions.js';
import { writeHandlers } from './writes.js';

/** The handler of every operation. */
export function handlersOf(services: Services): Handlers {
  return {
    ...serviceHandlers(services),
    ...keyHandlers(services),
    ...indexHandlers(services),
    ...documentHandlers(services),
    ...writeHandlers(services),
    ...scanHandlers(services),
    ...searchHandlers(services),
    ...suggestionHandlers(services),
    ...embedHandlers(services),
    ...modelHandlers(services),
  };
}
