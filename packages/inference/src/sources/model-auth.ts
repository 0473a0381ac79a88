import { isDeepStrictEqual } from 'node:util';
import { PelorusError } from '@pelorus/contract';
import { type ModelProperties, member } from '../registry/property-rules.js';
import type { LoadableModel, ResolvedModel } from '../resolved-model.js';
import type { S3Credentials } from './s3-request.js';

/** Credentials for a model that is not public. They are used while downloading, or asking a service, and kept nowhere. */
export interface ModelAuth {
  readonly hubToken: string | null;
  readonly s3: S3Credentials | null;
  readonly serviceKey?: string;
}

export const NO_AUTH: ModelAuth = { hubToken: null, s3: null };

/** Tells whether two loads of a model are asked for in the same name: one may succeed where the other fails. */
export function isSameAuth(a: ModelAuth | undefined, b: ModelAuth | undefined): boolean {
  return isDeepStrictEqual(a ?? NO_AUTH, b ?? NO_AUTH);
}

/** Kinds whose `modelLocation` says whether it takes credentials: a token that ran out must not fail a public model. */
const SAYING: readonly LoadableModel['type'][] = ['open_clip', 'clip'];

/** Tells whether the credentials of a request are for this model. */
export function takesAuth(model: LoadableModel): boolean {
  const { properties } = model as Partial<ResolvedModel>;
  const location = member(properties ?? {}, 'modelLocation');
  if (!SAYING.includes(model.type) || typeof location !== 'object' || location === null) return true;
  return member(location as ModelProperties, 'authRequired') === true;
}

/** `modelAuth` as a request has it: credentials for one place. */
export interface RequestedAuth {
  readonly s3?: object | null | undefined;
  readonly hf?: object | null | undefined;
  readonly service?: object | null | undefined;
}

/**
 * Checks that `modelAuth` names one place and one only; absent is none.
 * @throws PelorusError `invalid_argument`
 */
export function checkModelAuth(auth: RequestedAuth | null | undefined): void {
  if (auth == null) return;
  const places = [auth.s3, auth.hf, auth.service].filter((place) => place != null).length;
  if (places === 0) throw invalid('Missing authentication object. modelAuth takes `s3`, `hf` or `service`.');
  if (places > 1) {
    throw invalid('More than one model authentication was provided. Only one model authentication object is allowed');
  }
}

/**
 * Reads `modelAuth` of a request.
 * @throws PelorusError `invalid_argument`
 */
export function parseModelAuth(auth: RequestedAuth | null | undefined): ModelAuth {
  checkModelAuth(auth);
  const { s3, hf, service } = (auth ?? {}) as Readonly<Record<'s3' | 'hf' | 'service', Members | null | undefined>>;
  if (hf != null) return { ...NO_AUTH, hubToken: text(hf, 'hf', 'token') };
  if (service != null) return { ...NO_AUTH, serviceKey: text(service, 'service', 'key') };
  if (s3 == null) return NO_AUTH;
  const token = s3.aws_session_token;
  return {
    ...NO_AUTH,
    s3: {
      accessKeyId: text(s3, 's3', 'aws_access_key_id'),
      secretAccessKey: text(s3, 's3', 'aws_secret_access_key'),
      ...(typeof token === 'string' && { sessionToken: token }),
    },
  };
}

type Members = Readonly<Record<string, unknown>>;

function text(place: Members, what: string, member: string): string {
  const value = place[member];
  // Control characters would end up in a header.
  if (typeof value === 'string' && /^[\x20-\x7e]+$/.test(value)) return value;
  throw invalid(`modelAuth.${what}.${member} must be a string that is not empty`);
}

const invalid = (message: string) => new PelorusError('invalid_argument', message);
