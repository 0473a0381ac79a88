import { PelorusError } from '@pelorus/contract';
import { BATCH_EVENTS_MAX, type EventStore } from '@pelorus/events';
import type { Answer, Call } from '../call.js';

/** Stores a batch of events; those that cannot be stored are told event by event. */
export async function ingest(
  events: EventStore,
  { body, headers, principal, startedMs }: Call<'ingestEvents'>,
): Promise<Answer> {
  const batch = body.events;
  if (batch.length > BATCH_EVENTS_MAX) {
    throw new PelorusError(
      'payload_too_large',
      `events: expected at most ${BATCH_EVENTS_MAX} events, received ${batch.length}`,
    );
  }
  const customerId = principal?.customerId;
  if (customerId == null) throw new PelorusError('forbidden', 'Events are sent with a tracking key');
  const { received, accepted, duplicates, items } = await events.accept(customerId, batch);
  const isTaken = accepted + duplicates > 0;
  if (isTaken && prefersMinimal(headers.prefer)) return { status: 204, body: null };
  return {
    status: isTaken ? 200 : 400,
    body: {
      errors: items.some(({ status }) => status !== 200),
      receivedEvents: received,
      acceptedEvents: accepted,
      duplicateEvents: duplicates,
      items,
      processingTimeMs: Math.round((performance.now() - startedMs) * 1000) / 1000,
    },
  };
}

/** RFC 7240: preferences are a list, in any case. */
function prefersMinimal(prefer = ''): boolean {
  return prefer
    .split(',')
    .some((one) => one.split(';', 1)[0]?.replaceAll(/[\s"]/g, '').toLowerCase() === 'return=minimal');
}
