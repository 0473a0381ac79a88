import { Readable } from 'node:stream';
import { PelorusError } from '@pelorus/contract';
import type { FastifyBaseLogger } from 'fastify';
import type { StreamAnswer } from '../call.js';

export interface ServerSentEvent {
  readonly event: string;
  readonly data: unknown;
}

/** Streams that may be under way at once, and how long each. */
const STREAMS_MAX = 100;
const STREAM_TIMEOUT_MS = 120_000;

/** Answers that go on: as events of a server, for as long as their reader is there. */
export class EventStreams {
  #count = 0;

  /**
   * The events of `source`, and a last one. An error before the first event fails the request; a later one is an event
   * `error`, and the end.
   * @param source is told by its signal that nobody reads any more
   * @throws PelorusError `too_many_requests`, and what the source fails with
   */
  async open(
    source: (signal: AbortSignal) => AsyncGenerator<ServerSentEvent>,
    last: () => ServerSentEvent,
    log: FastifyBaseLogger,
  ): Promise<StreamAnswer> {
    if (this.#count >= STREAMS_MAX) {
      throw new PelorusError(
        'too_many_requests',
        `There are ${STREAMS_MAX} conversations under way, which is the limit`,
        {
          headers: { 'retry-after': '1' },
        },
      );
    }
    this.#count++;
    const reader = new AbortController();
    const events = source(AbortSignal.any([reader.signal, AbortSignal.timeout(STREAM_TIMEOUT_MS)]));
    let first: IteratorResult<ServerSentEvent>;
    try {
      first = await events.next();
    } catch (error) {
      this.#count--;
      throw error;
    }
    const stream = Readable.from(written(first, events, last, reader.signal, log));
    stream.once('close', () => {
      this.#count--;
      reader.abort();
    });
    return {
      stream,
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      },
    };
  }
}

async function* written(
  first: IteratorResult<ServerSentEvent>,
  events: AsyncGenerator<ServerSentEvent>,
  last: () => ServerSentEvent,
  reader: AbortSignal,
  log: FastifyBaseLogger,
): AsyncGenerator<string> {
  try {
    for (let next = first; next.done !== true; next = await events.next()) yield textOf(next.value);
  } catch (error) {
    // Nobody is there to be told.
    if (reader.aborted) return;
    log.warn({ err: error }, 'A stream of events failed');
    const known = error instanceof PelorusError ? error : new PelorusError('internal', 'The stream cannot go on');
    yield textOf({ event: 'error', data: { message: known.message, code: known.code } });
  }
  yield textOf(last());
}

function textOf({ event, data }: ServerSentEvent): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
