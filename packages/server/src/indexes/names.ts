import { INDEX_NAME_LENGTH_MAX, indexNameProblem } from '@pelorus/contract';
import { lateError } from '../validation/late-errors.js';

export { fieldNameProblem, indexNameProblem } from '@pelorus/contract';

/** @throws PelorusError when `name` cannot name a new index; an older one may have a longer name. */
export function checkIndexName(name: string): void {
  const problem = indexNameProblem(name);
  if (problem !== undefined) throw lateError('name', problem);
  if (name.length > INDEX_NAME_LENGTH_MAX) {
    throw lateError(
      'name',
      `Index name must not be longer than ${INDEX_NAME_LENGTH_MAX} characters, but this one has ${name.length}`,
    );
  }
}
