import type { Config } from '../config.js';
import type { IndexDefinition } from '../services/definition.js';
import { checkFieldQueries } from './field-queries.js';
import { checkShape, type SearchRequest } from './shape.js';
import { checkDocumentCount, checkMethod, checkSupport, checkValues } from './values.js';

/**
 * Checks what needs no index, in the order in which clients are told of faults: rules between members (422), values. The
 * index comes next (404), and {@link checkSearchOf} after it.
 * @throws UnprocessableError, PelorusError
 */
export function checkSearchAlone(request: SearchRequest, config: Config): void {
  checkShape(request);
  checkValues(request, config);
}

/**
 * Checks the rest, in the same order: the count of context documents, members that the kind of index does not have, rules
 * of the method.
 * @throws PelorusError
 */
export function checkSearchOf(index: IndexDefinition, request: SearchRequest, config: Config): void {
  checkDocumentCount(request, config);
  checkSupport(request, index);
  checkMethod(request);
  checkFieldQueries(request, index);
}
