import { INDEX_NAME_LENGTH_MAX, indexNameFault } from '@pelorus/contract';
import { lateFault } from '../validation/faults.js';

export { fieldNameFault, indexNameFault } from '@pelorus/contract';

/** @throws PelorusError when `name` cannot name a new index; an older one may have a longer name. */
export function checkIndexName(name: string): void {
  const fault = indexNameFault(name);
  if (fault !== undefined) throw lateFault('name', fault);
  if (name.length > INDEX_NAME_LENGTH_MAX) {
    throw lateFault(
      'name',
      `Index name must not be longer than ${INDEX_NAME_LENGTH_MAX} characters, but this one has ${name.length}`,
    );
  }
}
