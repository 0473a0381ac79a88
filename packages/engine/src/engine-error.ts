import type { engine } from '@pelorus/contract';

/** The error of a failed call: its `code` is the one that HTTP shows. */
export interface EngineError extends Error {
  readonly code: string;
}

/** Details that errors of a code carry for programs, so that nobody has to parse a message. */
export interface ErrorDetails {
  readonly json_decode_error: engine.JsonSyntaxError;
}

export interface DetailedEngineError<Code extends keyof ErrorDetails> extends EngineError {
  readonly code: Code;
  readonly details: ErrorDetails[Code];
}

/** Tells an engine's error from a defect of our own. With `code`, an error of that code, with its details. */
export function isEngineError(error: unknown): error is EngineError;
export function isEngineError<Code extends keyof ErrorDetails>(
  error: unknown,
  code: Code,
): error is DetailedEngineError<Code>;
export function isEngineError(error: unknown, code?: string): error is EngineError {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return false;
  return code === undefined || error.code === code;
}
