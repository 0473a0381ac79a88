import { invalidArgument } from '@pelorus/contract';

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/**
 * The JSON object in a parameter of a query, in base64 or base64url, padded or not. A `+` may have come as a blank.
 * @throws PelorusError for what is none
 */
export function jsonInBase64(text: string, name: string): object {
  const encoded = text.replaceAll(' ', '+');
  if (!BASE64.test(encoded)) throw invalidArgument(`The parameter ${name} must be JSON in base64`);
  const bytes = Buffer.from(encoded, encoded.includes('-') || encoded.includes('_') ? 'base64url' : 'base64');
  const value = objectOf(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  if (value === undefined) throw invalidArgument(`The parameter ${name} must be a JSON object in base64`);
  return value;
}

/**
 * The JSON object in a parameter of a query, as it is or as {@link jsonInBase64} takes it. Base64 has no brace, so that
 * the two are told apart by their first character.
 * @throws PelorusError for what is neither
 */
export function jsonOrBase64(text: string, name: string): object {
  if (!text.trimStart().startsWith('{')) return jsonInBase64(text, name);
  const value = objectOf(() => text);
  if (value === undefined) throw invalidArgument(`The parameter ${name} must be a JSON object`);
  return value;
}

function objectOf(text: () => string): object | undefined {
  try {
    const value: unknown = JSON.parse(text());
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Bytes that are no JSON are answered as those that are no object.
  }
  return undefined;
}
