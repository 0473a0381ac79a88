import { PelorusError } from '@pelorus/contract';
import { problemsText } from './problems.js';

/**
 * A rule found broken after the body had its shape: 400 whose message is, by tradition, a JSON array in a string.
 */
export function lateError(loc: string, msg: string, type = 'value_error'): PelorusError {
  return new PelorusError('invalid_argument', problemsText([{ loc: [loc], msg, type }]), { link: '' });
}
