import { readFileSync, statSync } from 'node:fs';

/** Layout of a write-ahead log, https://www.sqlite.org/fileformat2.html#walformat: numbers are big-endian. */
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const LITTLE_ENDIAN_MAGIC = 0x377f0682;
const SALT_AT = 16;
const HEADER_SUM_AT = 24;
const FRAME_SUM_AT = 16;
/** Size of the file after a commit, which only the last frame of one has. */
const FRAME_COMMIT_AT = 4;
/** The page size of every file of ours. */
const PAGE_BYTES = 4096;
const FRAME_BYTES = FRAME_HEADER_BYTES + PAGE_BYTES;
/** Larger logs are not read: checkpoints keep them below an eighth of it. */
const LOG_BYTES_MAX = 512 * 1024 * 1024;

/**
 * Tells whether a log has commits behind a frame whose sum is wrong, all of which SQLite drops without a word. A last
 * commit that is broken is none of them: that is what a loss of power leaves of one that nobody was told of.
 */
export function isLogBroken(path: string): boolean {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes < HEADER_BYTES + FRAME_BYTES || bytes > LOG_BYTES_MAX) return false;
  const log = readFileSync(path);
  let sum = sumOf(log, 0, HEADER_SUM_AT, [0, 0]);
  if (!isRight(log, HEADER_SUM_AT, sum)) return true;
  let isBroken = false;
  let hasCommitBehind = false;
  for (let at = HEADER_BYTES; at + FRAME_BYTES <= log.length; at += FRAME_BYTES) {
    // Frames of other salts are what an earlier use of the file left, unless one of this log follows.
    if (!hasSalt(log, at)) {
      isBroken = true;
      continue;
    }
    if (hasCommitBehind) return true;
    sum = sumOf(log, at, at + 8, sum);
    sum = sumOf(log, at + FRAME_HEADER_BYTES, at + FRAME_BYTES, sum);
    if (!isRight(log, at + FRAME_SUM_AT, sum)) isBroken = true;
    hasCommitBehind = isBroken && log.readUInt32BE(at + FRAME_COMMIT_AT) !== 0;
  }
  return false;
}

type Sum = readonly [number, number];

function hasSalt(log: Buffer, frameAt: number): boolean {
  return log.compare(log, SALT_AT, SALT_AT + 8, frameAt + 8, frameAt + 16) === 0;
}

function isRight(log: Buffer, at: number, [a, b]: Sum): boolean {
  return log.readUInt32BE(at) === a && log.readUInt32BE(at + 4) === b;
}

/** The sum goes on from that of the frame before; its words have the order of bytes that the magic number tells. */
function sumOf(log: Buffer, from: number, to: number, [a, b]: Sum): Sum {
  const view = new DataView(log.buffer, log.byteOffset, log.byteLength);
  const isLittleEndian = log.readUInt32BE(0) === LITTLE_ENDIAN_MAGIC;
  let [first, second] = [a, b];
  for (let at = from; at < to; at += 8) {
    first = (first + view.getUint32(at, isLittleEndian) + second) >>> 0;
    second = (second + view.getUint32(at + 4, isLittleEndian) + first) >>> 0;
  }
  return [first, second];
}
