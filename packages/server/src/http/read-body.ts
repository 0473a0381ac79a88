import type { IncomingMessage } from 'node:http';
import { PelorusError } from '@pelorus/contract';
import type { FastifyRequest } from 'fastify';
import type { ByteBudget, ByteLease } from './byte-budget.js';
import { type ContentCoding, codingOf, Decoding } from './content-encoding.js';
import { DRAIN_BYTES_MAX, tooLarge } from './errors.js';

const noBytes = Buffer.alloc(0);

/** Bytes that some editors put before a text in UTF-8; they are none of it. */
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Room for a body that does not tell its length, which none does that is decoded; it is doubled as often as the body needs it. */
const UNDECLARED_BYTES_MIN = 16 * 1024;

/**
 * Reads the body of `request`, decoded, and works on it. Its bytes count in `budget`, as those of `owner`, from before the
 * first one is read until the work has ended, and are then freed at once: the garbage collector would come by too late.
 *
 * @throws PelorusError `payload_too_large` above the limit of the route, before or after it is decoded,
 *   `too_many_requests` above the budget; both at the head where that tells the length. `unsupported_media_type` for a
 *   coding that is not read, `bad_request` for a body that is not in its coding
 */
export async function withBody<Result>(
  request: FastifyRequest,
  budget: ByteBudget,
  owner: string | undefined,
  work: (body: Buffer) => Promise<Result>,
): Promise<Result> {
  const declared = declaredBytes(request);
  if (declared === 0) return work(noBytes);
  const coding = codingOf(request.headers);
  const lease = budget.lease(owner);
  try {
    const body = await readBody(request, declared, coding, lease);
    try {
      return await work(withoutByteOrderMark(body));
    } finally {
      free(body);
    }
  } finally {
    lease.release();
  }
}

/**
 * As {@link withBody}, for work that sends the body on as it came, be it encoded: some of its bytes may still be on their
 * way when the work has ended, so that their memory is the garbage collector's to free.
 */
export async function withBodyToSend<Result>(
  request: FastifyRequest,
  budget: ByteBudget,
  owner: string | undefined,
  work: (body: Buffer) => Promise<Result>,
): Promise<Result> {
  const declared = declaredBytes(request);
  if (declared === 0) return work(noBytes);
  const lease = budget.lease(owner);
  try {
    return await work(await readBody(request, declared, null, lease));
  } finally {
    lease.release();
  }
}

function withoutByteOrderMark(body: Buffer): Buffer {
  const start = body.subarray(0, BYTE_ORDER_MARK.length);
  return start.equals(BYTE_ORDER_MARK) ? body.subarray(BYTE_ORDER_MARK.length) : body;
}

/** Length of the body as the head tells it; undefined where only its end will tell. */
function declaredBytes({ headers }: FastifyRequest): number | undefined {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : undefined;
}

async function readBody(
  request: FastifyRequest,
  declared: number | undefined,
  coding: ContentCoding | null,
  lease: ByteLease,
): Promise<Buffer> {
  const { raw } = request;
  const limit = request.routeOptions.bodyLimit;
  if (declared !== undefined && declared > limit) throw tooLarge(request);
  const room = (coding === null ? declared : undefined) ?? Math.min(UNDECLARED_BYTES_MIN, limit);
  let decoderBytes = coding?.decoderBytes ?? 0;
  lease.resize(room + decoderBytes);
  if (raw.destroyed) throw cutOff();
  if (coding === null && declared !== undefined) {
    // The parser hands over what came with the head before anything that waits goes on: a short body as a whole.
    await undefined;
    const whole = arrivedBody(raw, declared);
    if (whole !== undefined) return whole;
    if (raw.destroyed) throw cutOff();
  }

  let body = Buffer.allocUnsafeSlow(room);
  let length = 0;
  const take = (chunk: Buffer) => {
    const needed = length + chunk.length;
    if (needed > limit) throw tooLarge(request);
    if (needed > body.length) {
      const doubled = Math.min(2 * needed, limit);
      lease.resize(doubled + decoderBytes);
      body = moved(body, length, doubled);
    }
    length += chunk.copy(body, length);
  };
  /** The memory that the decoder of a body may take is known once it begins. */
  const begin = (bytes: number) => {
    decoderBytes = bytes;
    lease.shrink(body.length + bytes);
  };
  try {
    await (coding === null ? eachChunk(raw, take) : eachDecodedChunk(request, coding, begin, take));
  } catch (error) {
    free(body);
    throw error;
  }
  lease.shrink(body.length);
  return body.subarray(0, length);
}

/** A body that is here as a whole and in memory of its own; undefined of any other. */
function arrivedBody(raw: IncomingMessage, declared: number): Buffer | undefined {
  if (raw.readableLength !== declared) return undefined;
  const body: Buffer = raw.read();
  // The stream still has to come to its end.
  raw.resume();
  // Pieces are put together in memory that other buffers share.
  return body.buffer.byteLength === declared ? body : ownCopy(body);
}

function ownCopy(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
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
    // `close` tells of the error as well; without a listener it would end the process.
    raw.on('error', () => undefined);
  });
}

/**
 * As {@link eachChunk}, of what an encoded body holds, which `take` bounds. Encoded it may be no longer than its route lets
 * it be decoded: what decodes to nothing costs time as well.
 */
async function eachDecodedChunk(
  request: FastifyRequest,
  coding: ContentCoding,
  begin: (decoderBytes: number) => void,
  take: (chunk: Buffer) => void,
): Promise<void> {
  const { raw } = request;
  const decoding = new Decoding(coding, take);
  let received = 0;
  try {
    for await (const chunk of raw.iterator({ destroyOnReturn: false })) {
      if (received === 0) begin(coding.decoderBytesOf(chunk[0]));
      received += chunk.length;
      if (received > request.routeOptions.bodyLimit) throw tooLarge(request);
      await decoding.write(chunk);
    }
    // No bytes at all are no body, whatever they are said to be.
    if (received > 0) await decoding.end();
  } catch (error) {
    if (raw.destroyed && !raw.complete) throw cutOff();
    dropRest(raw);
    throw error;
  } finally {
    decoding.destroy();
  }
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
