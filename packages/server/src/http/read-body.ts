import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { PelorusError } from '@pelorus/contract';
import type { FastifyRequest } from 'fastify';
import type { BodyBudget, BodyLease } from './body-budget.js';
import { DRAIN_BYTES_MAX, tooLarge } from './faults.js';

const noBytes = Buffer.alloc(0);

/** Room for a body that does not tell its length; it is doubled as often as the body needs it. */
const UNDECLARED_BYTES_MIN = 16 * 1024;

/**
 * Reads the body of `request` and works on it. Its bytes count in `budget` from before the first one is read until the
 * work has ended, and are then freed at once: the garbage collector would come by too late.
 *
 * @throws PelorusError `payload_too_large` above the limit of the route, `too_many_requests` above the budget; both at
 *   the head where that tells the length
 */
export async function withBody<Result>(
  request: FastifyRequest,
  budget: BodyBudget,
  work: (body: Buffer) => Promise<Result>,
): Promise<Result> {
  const declared = declaredBytes(request);
  if (declared === 0) return await work(noBytes);
  const lease = budget.lease();
  try {
    const body = await readBody(request, declared, lease);
    try {
      return await work(body);
    } finally {
      free(body);
    }
  } finally {
    lease.release();
  }
}

/** Length of the body as the head tells it; undefined where only its end will tell. */
function declaredBytes({ headers }: FastifyRequest): number | undefined {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : undefined;
}

async function readBody(request: FastifyRequest, declared: number | undefined, lease: BodyLease): Promise<Buffer> {
  const { raw } = request;
  const limit = request.routeOptions.bodyLimit;
  if (declared !== undefined && declared > limit) throw tooLarge(request);
  const room = declared ?? Math.min(UNDECLARED_BYTES_MIN, limit);
  lease.resize(room);
  if (raw.destroyed) throw cutOff();

  let body = Buffer.allocUnsafeSlow(room);
  let length = 0;
  const take = (chunk: Buffer) => {
    const needed = length + chunk.length;
    if (needed > limit) throw tooLarge(request);
    if (needed > body.length) {
      const doubled = Math.min(2 * needed, limit);
      lease.resize(doubled);
      body = moved(body, length, doubled);
    }
    length += chunk.copy(body, length);
  };
  try {
    await eachChunk(raw, take);
  } catch (error) {
    free(body);
    throw error;
  }
  return body.subarray(0, length);
}

/** Hands the chunks of a body over until it ends. Where `take` throws, the rest is read and dropped. */
function eachChunk(raw: IncomingMessage, take: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      try {
        take(chunk);
      } catch (error) {
        settle(() => reject(error));
        dropRest(raw);
      }
    };
    const onEnd = () => settle(resolve);
    const onCutOff = () => settle(() => reject(cutOff()));
    const settle = (outcome: () => void) => {
      raw.off('data', onData).off('end', onEnd).off('close', onCutOff);
      outcome();
    };
    raw.on('data', onData).on('end', onEnd).on('close', onCutOff);
    // What it says is said by `close` as well; without a listener it would end the process.
    raw.on('error', () => undefined);
  });
}

/**
 * The body of a request as it comes, for whoever hands it on. Once its reader is done with it, be it before the end, the
 * rest is read and dropped: a client that reads when it has sent all sees the answer, and its connection goes on.
 */
export function bodyStream(raw: IncomingMessage): Readable {
  const onData = (chunk: Buffer) => {
    if (!body.push(chunk)) raw.pause();
  };
  const onEnd = () => {
    // What is buffered has yet to be read: that the request closes now is no fault.
    raw.off('close', onCutOff);
    body.push(null);
  };
  const onCutOff = () => body.destroy(cutOff());
  const body = new Readable({
    read: () => raw.resume(),
    destroy: (error, done) => {
      raw.off('data', onData).off('end', onEnd).off('close', onCutOff);
      dropRest(raw);
      done(error);
    },
  });
  raw.on('data', onData).on('end', onEnd).on('close', onCutOff);
  // What it says is said by `close` as well; without a listener it would end the process.
  raw.on('error', () => undefined);
  return body;
}

/** Lets a client that is still sending come to its end, so that it sees the answer; though not for ever. */
function dropRest(raw: IncomingMessage): void {
  let dropped = 0;
  raw.on('data', (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > DRAIN_BYTES_MAX) raw.destroy();
  });
  raw.resume();
}

function cutOff(): PelorusError {
  return new PelorusError('bad_request', 'The connection ended before the request did');
}

function moved(from: Buffer, length: number, room: number): Buffer<ArrayBuffer> {
  const to = Buffer.allocUnsafeSlow(room);
  from.copy(to, 0, 0, length);
  free(from);
  return to;
}

/** Gives the memory of a buffer back. Nothing may look into it afterwards. */
function free({ buffer }: Buffer): void {
  (buffer as ArrayBuffer).transfer(0);
}
