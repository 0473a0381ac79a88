import { PelorusError, type Problem, schemas, UnprocessableError } from '@pelorus/contract';
import { checkOf } from '../validation/check.js';
import { problemsText } from '../validation/problems.js';
import { fromLegacy, isLegacy, legacyPath } from './legacy-settings.js';
import { prepareSettings } from './prepare-settings.js';
import { checkShape } from './settings.js';

const check = checkOf(schemas.IndexSettings, 'body');

/**
 * Settings of any form, whether as the body of a creation or not, in today's.
 * @throws UnprocessableError that says where they are wrong in the form in which they came
 */
export function readSettings(value: unknown): schemas.IndexSettings {
  if (!isLegacy(value)) return checked(prepareSettings(value));
  const settings = fromLegacy(value);
  return relocated(() => checked(settings), legacyPath);
}

function checked(value: unknown): schemas.IndexSettings {
  const settings = check(value) as schemas.IndexSettings;
  checkShape(settings);
  return settings;
}

/** Does `work` on item `i` of the body: what is wrong with its shape is said to be wrong there. */
export function atItem<Result>(i: number, work: () => Result): Result {
  return relocated(work, (loc) => ['body', i, ...loc.slice(1)]);
}

function relocated<Result>(work: () => Result, place: (loc: Problem['loc']) => Problem['loc']): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof UnprocessableError)) throw error;
    throw new UnprocessableError(error.problems.map(({ loc, ...rest }) => ({ loc: place(loc), ...rest })));
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
