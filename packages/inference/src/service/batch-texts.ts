import { type InputBatch, Tokenizer } from '@pelorus/node';

/** The most bytes of a text, for all that a request may hold. */
const BYTES_MAX = 2 ** 31 - 1;

let byteTokenizer: Promise<Tokenizer> | null = null;

/**
 * The texts of a batch, with their prefixes; it holds nothing else. A batch gives its contents to tokenizers alone, which
 * keeps them out of JavaScript where nobody needs them there: one whose tokens are bytes has them all.
 */
export async function batchTexts(inputs: InputBatch): Promise<string[]> {
  byteTokenizer ??= Tokenizer.load(Buffer.from(JSON.stringify(bytePairs())), BYTES_MAX);
  const { ids, offsets } = await (await byteTokenizer).encode(inputs);
  return Array.from({ length: offsets.length - 1 }, (_, row) =>
    Buffer.from(ids.subarray(offsets[row], offsets[row + 1])).toString('utf8'),
  );
}

/** Byte pairs without a single pair: the id of a token is its byte. */
function bytePairs(): object {
  const vocab = Object.fromEntries(byteCharacters().map((character, byte) => [character, byte]));
  return {
    version: '1.0',
    added_tokens: [],
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
    model: { type: 'BPE', vocab, merges: [] },
  };
}

/** The characters by which GPT-2's byte pairs write bytes: printable ones stand for themselves, others follow U+0100. */
function byteCharacters(): string[] {
  const isPrintable = (byte: number) => (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isPrintable(byte) ? byte : next++));
}
