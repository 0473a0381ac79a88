import { PelorusError } from '@pelorus/contract';
import type { S3Credentials } from './s3-request.js';

/** Credentials for a model that is not public. They are used while downloading and kept nowhere. */
export interface ModelAuth {
  readonly hubToken: string | null;
  readonly s3: S3Credentials | null;
}

export const NO_AUTH: ModelAuth = { hubToken: null, s3: null };

/**
 * Reads `modelAuth` of a request: exactly one of `s3` and `hf`.
 * @throws PelorusError `invalid_argument`
 */
export function parseModelAuth(value: object | null | undefined): ModelAuth {
  if (value === null || value === undefined) return NO_AUTH;
  const { s3, hf } = value as { s3?: unknown; hf?: unknown };
  const given = [s3, hf].filter((member) => member !== undefined && member !== null);
  if (given.length !== 1) throw invalid("modelAuth must have exactly one of 's3' and 'hf'");
  const [place] = given as [Record<string, unknown>];
  if (s3 === undefined || s3 === null) return { hubToken: text(place, 'hf', 'token'), s3: null };
  const token = place.aws_session_token;
  return {
    hubToken: null,
    s3: {
      accessKeyId: text(place, 's3', 'aws_access_key_id'),
      secretAccessKey: text(place, 's3', 'aws_secret_access_key'),
      ...(typeof token === 'string' && { sessionToken: token }),
    },
  };
}

function text(place: Record<string, unknown>, what: string, member: string): string {
  const value = place?.[member];
  // Control characters would end up in a header.
  if (typeof value === 'string' && /^[\x20-\x7e]+$/.test(value)) return value;
  throw invalid(`modelAuth.${what}.${member} must be a string that is not empty`);
}

const invalid = (message: string) => new PelorusError('invalid_argument', message);
