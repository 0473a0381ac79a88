import { PelorusError, schemas, UnprocessableError } from '@pelorus/contract';
import { checkOf } from '../validation/check.js';
import { problemsText } from '../validation/problems.js';
import { prepareSettings } from './prepare-settings.js';

const check = checkOf(schemas.IndexSettings, 'body');

/**
 * Settings that did not come as the body of a creation, read by the same rules.
 * @throws UnprocessableError
 */
export function readSettings(value: unknown): schemas.IndexSettings {
  return check(prepareSettings(value)) as schemas.IndexSettings;
}

/** Does `work` on item `i` of the body: what is wrong with its shape is said to be wrong there. */
export function atItem<Result>(i: number, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof UnprocessableError)) throw error;
    throw new UnprocessableError(
      error.problems.map(({ loc, ...rest }) => ({ loc: ['body', i, ...loc.slice(1)], ...rest })),
    );
  }
}

/** Does `work`, whose unfit shapes are answered as unfit arguments: 400, not 422. */
export function asArguments<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof UnprocessableError)) throw error;
    const within = error.problems.map(({ loc, ...rest }) => ({ loc: loc.slice(1), ...rest }));
    throw new PelorusError('invalid_argument', problemsText(within), { link: '' });
  }
}
