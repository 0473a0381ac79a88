import type { Fetch } from '@pelorus/client';
import type { Store } from '../store.js';

/** Sends requests by `send`, and notes of each whether the server had an answer to it; one that was ended says nothing. */
export function notingReach(send: Fetch, isAway: Store<boolean>): Fetch {
  return async (address, init) => {
    try {
      const answer = await send(address, init);
      isAway.set(false);
      return answer;
    } catch (error) {
      if (init.signal?.aborted !== true) isAway.set(true);
      throw error;
    }
  };
}
