import { PelorusError } from '@pelorus/contract';
import type { FastifyRequest } from 'fastify';

/** RFC 9110 asks for this header with each 401. */
const challenge = { 'www-authenticate': 'ApiKey' } as const;

export function missingKey(detail = ''): PelorusError {
  return new PelorusError('missing_api_key', `Missing API key${detail}`, { headers: challenge });
}

/** In the same words for keys that never were, were revoked or replaced, and for what is no key at all. */
export function invalidKey(): PelorusError {
  return new PelorusError('invalid_api_key', 'Invalid API key', { headers: challenge });
}

export function expiredKey(): PelorusError {
  return new PelorusError('api_key_expired', 'The API key has expired', { headers: challenge });
}

/**
 * The secret that a request carries in `x-api-key` or as a bearer token; undefined where it carries none.
 * @throws PelorusError `invalid_api_key` for two that differ, `missing_api_key` for credentials of another scheme
 */
export function presentedSecret({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const named = headers['x-api-key'] || undefined;
  const { authorization } = headers;
  if (authorization === undefined) return named as string | undefined;
  const [, token] = /^bearer +(\S+) *$/i.exec(authorization) ?? [];
  if (token !== undefined && named !== undefined && token !== named) throw invalidKey();
  if (token !== undefined || named !== undefined) return token ?? (named as string);
  throw otherScheme(authorization);
}

/** The Python client makes Basic credentials of a URL with a user in it. */
function otherScheme(authorization: string): PelorusError {
  const isBasic = /^basic\b/i.test(authorization);
  const given = isBasic ? 'a user and a password (Basic authentication)' : 'no bearer token';
  return missingKey(
    `: the Authorization header has ${given}, expected 'Bearer' with a key, or a key in the header x-api-key`,
  );
}
