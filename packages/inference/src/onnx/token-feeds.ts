import { type InferenceSession, Tensor } from 'onnxruntime-node';

/** The inputs of a graph that takes token ids: these, their mask, and zeros for any other that it asks for. */
export function tokenFeeds(
  session: InferenceSession,
  idsInput: string,
  ids: BigInt64Array,
  mask: BigInt64Array,
  dims: readonly [rows: number, length: number],
): Record<string, Tensor> {
  const feeds: Record<string, Tensor> = {};
  for (const input of session.inputMetadata) {
    const value =
      input.name === idsInput ? ids : input.name === 'attention_mask' ? mask : new BigInt64Array(ids.length);
    feeds[input.name] =
      input.isTensor && input.type === 'int32'
        ? new Tensor('int32', Int32Array.from(value, Number), dims)
        : new Tensor('int64', value, dims);
  }
  return feeds;
}
