/** The encodings of texts that are read. */
export type Encoding = 'utf-8' | 'windows-1252';

/** So much of a file is looked through for a byte that is not of ASCII. */
const SCANNED_BYTES_MAX = 64 * 1024 * 1024;
const PIECE_BYTES = 1024 * 1024;
/** So much from there on decides. */
const SAMPLE_BYTES = 64 * 1024;
/** Bytes that stand for nothing in Windows-1252, and for letters in others, such as ü in those of DOS. */
const UNUSED = [0x81, 0x8d, 0x8f, 0x90, 0x9d];

/** The encoding of a text, by what comes from its first byte on that is not of ASCII. */
export async function encodingOf(file: Blob): Promise<Encoding> {
  for (let start = 0; start < Math.min(file.size, SCANNED_BYTES_MAX); start += PIECE_BYTES) {
    const piece = new Uint8Array(await file.slice(start, start + PIECE_BYTES).arrayBuffer());
    const first = piece.findIndex((byte) => byte >= 0x80);
    if (first < 0) continue;
    const end = start + first + SAMPLE_BYTES;
    const sample = new Uint8Array(await file.slice(start + first, end).arrayBuffer());
    return encodingOfSample(sample, end < file.size);
  }
  return 'utf-8';
}

/** A text of which little is damaged stays UTF-8, whose fault is told as it is read. */
function encodingOfSample(sample: Uint8Array<ArrayBuffer>, isCut: boolean): Encoding {
  const text = new TextDecoder('utf-8').decode(sample, { stream: isCut });
  const foreign = [...text].filter((character) => character > '\u007f');
  const bad = foreign.filter((character) => character === '\ufffd');
  const isWindows = bad.length * 2 > foreign.length && !UNUSED.some((byte) => sample.includes(byte));
  return isWindows ? 'windows-1252' : 'utf-8';
}
