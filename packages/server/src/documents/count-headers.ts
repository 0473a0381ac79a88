import type { ItemsResponse } from '@pelorus/engine';

/** The headers of an answer about several items: how many went well, and whose fault the others are. */
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
