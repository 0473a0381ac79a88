import { invalidArgument } from '../validation/faults.js';

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/**
 * The JSON object in a parameter of a query, in base64 or base64url, padded or not. A `+` may have come as a blank.
 * @throws PelorusError for what is none
 */
export function jsonInBase64(text: string, name: string): unknown {
  const encoded = text.replaceAll(' ', '+');
  if (!BASE64.test(encoded)) throw invalidArgument(`The parameter ${name} must be JSON in base64`);
  const bytes = Buffer.from(encoded, encoded.includes('-') || encoded.includes('_') ? 'base64url' : 'base64');
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Bytes that are no JSON are answered as those that are no object.
  }
  throw invalidArgument(`The parameter ${name} must be a JSON object in base64`);
}
