export { openapiDocument } from './document.js';
export { echoed, joinedTruncated, truncated } from './excerpt.js';
export type * as engine from './generated/engine.js';
export { engineOptionsDefaults } from './generated/engine.js';
export { errorCatalogue } from './generated/errors.js';
export { operations } from './generated/operations.js';
export * as schemas from './generated/schemas.js';
export { fieldNameProblem, INDEX_NAME_LENGTH_MAX, indexNameProblem } from './names.js';
export type {
  JsonSchema,
  Operation,
  OperationId,
  OperationIdOf,
  OperationRequest,
  Operations,
  Scope,
} from './operation.js';
export type { Parsed } from './parsed.js';
export type { ErrorCode, ErrorType, PelorusErrorOptions, Problem } from './pelorus-error.js';
export {
  errorCodes,
  indexNotFound,
  invalidArgument,
  isErrorCode,
  PelorusError,
  UnprocessableError,
  versionNotKept,
} from './pelorus-error.js';
export {
  beginsWithWords,
  COMPARED_LENGTH_MAX,
  hasWords,
  isRedirect,
  normalizedQuery,
  REDIRECT_LENGTH_MAX,
  synonymsOfQuery,
} from './query-words.js';
export { targetOf } from './target.js';
