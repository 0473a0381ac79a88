const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/** Bits of the nearest number of half precision, ties to even, for each number. */
export function toFloat16(values: Float32Array): Uint16Array {
  return Uint16Array.from(values, (value) => {
    float[0] = value;
    const all = bits[0] ?? 0;
    const sign = (all >>> 16) & 0x8000;
    const magnitude = all & 0x7fffffff;
    // Not a number, and what is beyond the largest number of half precision, 65504, when rounded.
    if (magnitude > 0x7f800000) return sign | 0x7e00;
    if (magnitude >= 0x477ff000) return sign | 0x7c00;
    if (magnitude < 0x38800000) {
      // Subnormal: multiples of 2^-24, rounded to even.
      const scaled = Math.abs(value) * 2 ** 24;
      const floor = Math.floor(scaled);
      const rest = scaled - floor;
      return sign | (floor + (rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? 1 : 0));
    }
    const rounded = magnitude + 0xfff + ((magnitude >>> 13) & 1);
    return sign | ((rounded - 0x38000000) >>> 13);
  });
}

/** The numbers whose bits of half precision are given. */
export function fromFloat16(halves: Uint16Array): Float32Array {
  return Float32Array.from(halves, (half) => {
    const sign = half & 0x8000 ? -1 : 1;
    const exponent = (half >>> 10) & 0x1f;
    const fraction = half & 0x3ff;
    if (exponent === 0) return sign * fraction * 2 ** -24;
    if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
    return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  });
}
