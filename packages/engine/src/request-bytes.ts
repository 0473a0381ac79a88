import { setImmediate as nextTurn } from 'node:timers/promises';
import { RequestBytes } from '@pelorus/node';

/** Bytes that a turn of the event loop copies: a fraction of a millisecond. */
const PIECE_BYTES = 1024 * 1024;

/** A native copy of `bytes`, which may be tens of megabytes and must not change until it is there. */
export async function requestBytes(bytes: Uint8Array): Promise<RequestBytes> {
  const copy = RequestBytes.withRoom(bytes.length);
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    if (at > 0) await nextTurn();
    copy.append(bytes.subarray(at, at + PIECE_BYTES));
  }
  return copy;
}
