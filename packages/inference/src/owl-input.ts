/** Tokens of the words to look for; a longer query is cut. */
export const OWL_TOKENS = 16;

/** Numbers of a place: left, top, right and bottom as shares of the picture, and how sure it is. */
export const LOCATION_LENGTH = 5;

/** Stands for no token. The id that pads, 0, is that of a token. */
export const NO_TOKEN = -1;

/**
 * The inputs of an owl, `[3 * side * side + 16]` for each picture: `pictures`, `[n, 3, side, side]`, each followed by
 * the ids of the words to look for. Floats hold ids exactly up to 2^24.
 */
export function owlInputs(pictures: Float32Array, length: number, ids: Int32Array): Float32Array {
  const count = pictures.length / length;
  const width = length + OWL_TOKENS;
  const inputs = new Float32Array(count * width).fill(NO_TOKEN);
  for (let at = 0; at < count; at++) {
    inputs.set(pictures.subarray(at * length, (at + 1) * length), at * width);
    inputs.set(ids.subarray(0, OWL_TOKENS), at * width + length);
  }
  return inputs;
}
