import {
  AuthenticationError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  PelorusError,
  PermissionError,
  RateLimitError,
  TimeoutError,
  UnexpectedAnswerError,
  UnsupportedOperationError,
} from '@pelorus/client';
import { t } from '../strings/strings.js';

/** A failure as people are told it. */
export interface Failure {
  /** The fault, in a sentence. */
  readonly message: string;
  /** Advice about it; empty where there is none. */
  readonly advice: string;
  /** The name of the request in the server's log. */
  readonly requestId?: string | undefined;
  /** Members of the request that cannot be used. */
  readonly problems: readonly { readonly field: string; readonly message: string }[];
  /** The reason for programs, such as `index_not_found`. */
  readonly code?: string | undefined;
  /** Tells that the same request is refused again, whenever it is sent. */
  readonly isLasting?: boolean;
  /** Tells that no server was reached: the request may be sent again as soon as one is. */
  readonly isUnreached?: boolean;
  /** Tells that a model is not there, so that what needs no vectors may still be done. */
  readonly isModelMissing?: boolean;
}

/** Tells an error of a call, or of this page, in words with what to do. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof PelorusError)) return { message: messageOf(error), advice: '', problems: [] };
  const { code, problems, requestId } = error;
  const [message, advice] = toldOf(error);
  const isLasting = error instanceof InvalidRequestError;
  const isUnreached = error instanceof ConnectionError;
  const isModelMissing = MODEL_MISSING.test(error.message);
  return { message: inWords(message), advice, code, problems, requestId, isLasting, isUnreached, isModelMissing };
}

/** The words of a message; some answers have a list of faults, as JSON, for one. */
function inWords(message: string): string {
  if (!message.startsWith('[')) return message;
  try {
    const faults: unknown = JSON.parse(message);
    const words = Array.isArray(faults)
      ? faults.flatMap((fault) => (typeof fault?.msg === 'string' ? fault.msg : []))
      : [];
    return words.length === 0 ? message : [...new Set(words)].join('. ');
  } catch {
    return message;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Begins the message about a model whose files are not there; the rest lists ways that were tried. */
const MODEL_MISSING = /^Model (\S+) is not on this machine\. /;

function toldOf(error: PelorusError): readonly [message: string, advice: string] {
  const { code, message } = error;
  const [, missing] = MODEL_MISSING.exec(message) ?? [];
  if (missing !== undefined) return [t.failures.modelMissing(missing), t.failures.modelMissingAdvice(missing)];
  if (error instanceof ConnectionError) return t.failures.connection;
  if (error instanceof TimeoutError) return t.failures.timeout;
  if (error instanceof AuthenticationError) return [message, t.failures.keyAdvice];
  // Other refusals say by themselves what the operator has to allow.
  if (error instanceof PermissionError) return [message, code === 'forbidden' ? '' : t.failures.permissionAdvice];
  if (error instanceof NotFoundError && code === 'index_not_found') return [message, t.failures.indexGoneAdvice];
  if (error instanceof NotFoundError && code === 'document_not_found') return [message, t.failures.documentGoneAdvice];
  if (code === 'judgement_set_not_found') return [message, t.failures.setGoneAdvice];
  if (code === 'version_conflict') return [message, t.failures.conflictAdvice];
  if (error instanceof UnsupportedOperationError) return [message, t.failures.otherVersionAdvice];
  if (error instanceof UnexpectedAnswerError) return [message, t.failures.unexpectedAdvice];
  if (error instanceof RateLimitError) return [message, t.failures.busyAdvice];
  if (code === 'insufficient_memory') return [message, t.failures.memoryAdvice];
  if (code === 'insufficient_storage') return [message, t.failures.storageAdvice];
  return [message, ''];
}
