import { PelorusError } from '@pelorus/contract';

/**
 * A rule found broken after the body had its shape: 400 whose message is, by tradition, a JSON array in a string, with
 * blanks after commas and colons and nothing outside ASCII.
 */
export function lateFault(loc: string, msg: string, type = 'value_error'): PelorusError {
  const quoted = (text: string) =>
    JSON.stringify(text).replace(/[\u0080-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const message = `[{"loc": [${quoted(loc)}], "msg": ${quoted(msg)}, "type": ${quoted(type)}}]`;
  return new PelorusError('invalid_argument', message, { link: '' });
}

export function invalidArgument(message: string): PelorusError {
  return new PelorusError('invalid_argument', message);
}
