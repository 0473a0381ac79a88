import { invalidArgument, PelorusError, truncated } from '@pelorus/contract';
import type { Shops } from '@pelorus/ecommerce';
import type { EventStore } from '@pelorus/events';
import { CUSTOMER_ID_LENGTH_MAX } from '../auth/requested-key.js';
import type { Handlers } from '../call.js';
import { analyticsHandlers, requireAllIndexes } from './analytics.js';
import { ingest } from './ingestion.js';

type EventOperation =
  | keyof ReturnType<typeof analyticsHandlers>
  | 'ingestEvents'
  | 'exportUserEvents'
  | 'exportUbiEvents'
  | 'eraseUserEvents'
  | 'getErasure'
  | 'getEventRetention'
  | 'setEventRetention';

/** The operations on shoppers' events: they are stored, told in figures, exported and forgotten. */
export function eventHandlers(events: EventStore, shops: Shops): Pick<Handlers<'hosted'>, EventOperation> {
  return {
    ...analyticsHandlers(events, shops),

    ingestEvents: (call) => ingest(events, call),

    exportUserEvents: async ({ params: { userId }, query: { customerId, after } }) => {
      checkAfter(after, /^\d{4}-\d\d_\d+_\d+$/);
      return { body: { ...(await events.exportUser(customerId, userId, after)) } };
    },

    exportUbiEvents: async ({ query: { customerId, after } }) => {
      checkAfter(after, /^\d{4}-\d\d_\d{1,15}$/);
      return { body: { ...(await events.exportUbi(customerId, after)) } };
    },

    eraseUserEvents: async ({ params: { userId }, query: { customerId } }) => ({
      status: 202,
      body: { ...(await events.eraseUser(customerId, userId)) },
    }),

    getErasure: async ({ params: { jobId } }) => {
      const job = await events.erasure(jobId);
      if (job === undefined) throw new PelorusError('not_found', `There is no erasure '${truncated(jobId)}'`);
      return { body: { ...job } };
    },

    getEventRetention: async ({ query: { customerId }, principal }) => {
      requireAllIndexes(principal);
      checkCustomer(customerId);
      return { body: { customerId, days: await events.retentionOf(customerId) } };
    },

    setEventRetention: async ({ body: { customerId, days } }) => {
      checkCustomer(customerId);
      await events.setRetention(customerId, days);
      return { body: { acknowledged: true } };
    },
  };
}

/** @throws PelorusError `invalid_argument` for an id that no event has */
function checkCustomer(customerId: string): void {
  if (customerId !== '' && customerId.length <= CUSTOMER_ID_LENGTH_MAX) return;
  throw invalidArgument(
    `customerId: expected a text of 1 to ${CUSTOMER_ID_LENGTH_MAX} characters, received '${truncated(customerId)}'`,
  );
}

/** @throws PelorusError `invalid_argument` */
function checkAfter(after: string | undefined, form: RegExp): void {
  if (after === undefined || form.test(after)) return;
  throw invalidArgument(`after: expected the next of another page, received '${truncated(after)}'`);
}
