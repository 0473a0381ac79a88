import type { IncomingMessage } from 'node:http';
import { PelorusError } from '@pelorus/contract';
import type { FastifyRequest } from 'fastify';
import type { ByteBudget, ByteLease } from './byte-budget.js';
import { DRAIN_BYTES_MAX, tooLarge } from './faults.js';

const noBytes = Buffer.alloc(0);

/** Room for a body that does not tell its length; it is doubled as often as the body needs it. */
const UNDECLARED_BYTES_MIN = 16 * 1024;

/**
 * Reads the body of `request` and works on it. Its bytes count in `budget`, as those of `owner`, from before the first one
 * is read until the work has ended, and are then freed at once: the garbage collector would come by too late.
 *
 * @throws PelorusError `payload_too_large` above the limit of the route, `too_many_requests` above the budget; both at
 *   the head where that tells the length
 */
export function withBody<Result>(
  request: FastifyRequest,
  budget: ByteBudget,
  owner: string | undefined,
  work: (body: Buffer) => Promise<Result>,
): Promise<Result> {
  return withBodyToSend(request, budget, owner, async (body) => {
    try {
      return await work(body);
    } finally {
      if (body !== noBytes) free(body);
    }
  });
}

/**
 * As {@link withBody}, for work that sends the body on: some of its bytes may still be on their way when the work has
 * ended, so that their memory is the garbage collector's to free.
 */
export async function withBodyToSend<Result>(
  request: FastifyRequest,
  budget: ByteBudget,
  owner: string | undefined,
  work: (body: Buffer) => Promise<Result>,
): Promise<Result> {
  const declared = declaredBytes(request);
  if (declared === 0) return await work(noBytes);
  const lease = budget.lease(owner);
  try {
    return await work(await readBody(request, declared, lease));
  } finally {
    lease.release();
  }
}

/** Length of the body as the head tells it; undefined where only its end will tell. */
function declaredBytes({ headers }: FastifyRequest): number | undefined {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : undefined;
}

async function readBody(request: FastifyRequest, declared: number | undefined, lease: ByteLease): Promise<Buffer> {
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
