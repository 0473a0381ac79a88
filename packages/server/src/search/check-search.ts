import type { Config } from '../config.js';
import type { IndexDefinition } from '../services/definition.js';
import { checkShape, type SearchRequest } from './shape.js';
import { checkDocumentCount, checkMethod, checkSupport, checkValues } from './values.js';

/**
 * Checks a search in the order in which clients are told of faults: rules between members (422), values, the index itself
 * (404), the count of context documents, members that the kind of index does not have, rules of the method.
 * @param loadIndex asked when the body alone is in order
 * @throws UnprocessableError, PelorusError, and what `loadIndex` throws
 */
export async function checkSearch(
  request: SearchRequest,
  config: Config,
  loadIndex: () => IndexDefinition | Promise<IndexDefinition>,
): Promise<IndexDefinition> {
  checkShape(request);
  checkValues(request, config);
  const found = loadIndex();
  const index = found instanceof Promise ? await found : found;
  checkDocumentCount(request, config);
  checkSupport(request, index);
  checkMethod(request);
  return index;
}
