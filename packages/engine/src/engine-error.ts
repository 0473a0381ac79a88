/** What an engine fails with: an error whose `code` is the one that HTTP shows. */
export interface EngineError extends Error {
  readonly code: string;
}

/** Tells an engine's error from a defect of our own. */
export function isEngineError(error: unknown): error is EngineError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}
