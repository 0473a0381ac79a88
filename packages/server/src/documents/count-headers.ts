import type { ItemsResponse } from '@pelorus/engine';

/** What the headers of an answer about several items say: how many went well, and whose fault the others are. */
export function countHeaders({
  success,
  failure,
  error,
}: Pick<ItemsResponse, 'success' | 'failure' | 'error'>): Record<string, string> {
  return {
    'x-count-success': String(success),
    'x-count-failure': String(failure),
    'x-count-error': String(error),
  };
}
