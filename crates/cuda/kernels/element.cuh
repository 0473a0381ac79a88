// The 16-bit floats that encoders compute in, by the program either half or brain floats, and the activations.

// In its bits; values that a half cannot hold become infinite, and so the vector of the text shows them.
struct Element {
    u16 bits;
};

// Elements that a thread reads at once: 16 bytes.
constexpr u32 CHUNK = 8;

#if ELEMENT_IS_BF16

DEVICE float value_of(u16 bits) {
    return __uint_as_float(static_cast<u32>(bits) << 16);
}

DEVICE u16 bits_of(float value) {
    return float_to_brain(value);
}

DEVICE void multiply_add(float (&sums)[4], const u32 (&a)[4], u32 b0, u32 b1) {
    multiply_brains(sums, a, b0, b1);
}

#else

DEVICE float value_of(u16 bits) {
    return half_to_float(bits);
}

DEVICE u16 bits_of(float value) {
    return float_to_half(value);
}

DEVICE void multiply_add(float (&sums)[4], const u32 (&a)[4], u32 b0, u32 b1) {
    multiply_halves(sums, a, b0, b1);
}

#endif

// Two elements in a register, the first in the lower half.
DEVICE u32 pair_of(float first, float second) {
    return static_cast<u32>(bits_of(first)) | static_cast<u32>(bits_of(second)) << 16;
}

DEVICE void unpack(u32 pair, float& first, float& second) {
    first = value_of(static_cast<u16>(pair & 0xffff));
    second = value_of(static_cast<u16>(pair >> 16));
}

DEVICE void load_chunk(float (&values)[CHUNK], const Element* from) {
    uint4 bits = *reinterpret_cast<const uint4*>(from);
    unpack(bits.x, values[0], values[1]);
    unpack(bits.y, values[2], values[3]);
    unpack(bits.z, values[4], values[5]);
    unpack(bits.w, values[6], values[7]);
}

DEVICE void load_chunk(float (&values)[CHUNK], const float* from) {
    float4 low = *reinterpret_cast<const float4*>(from);
    float4 high = *reinterpret_cast<const float4*>(from + 4);
    values[0] = low.x, values[1] = low.y, values[2] = low.z, values[3] = low.w;
    values[4] = high.x, values[5] = high.y, values[6] = high.z, values[7] = high.w;
}

DEVICE void store_chunk(Element* to, const float (&values)[CHUNK]) {
    *reinterpret_cast<uint4*>(to) = make_uint4(pair_of(values[0], values[1]), pair_of(values[2], values[3]),
                                               pair_of(values[4], values[5]), pair_of(values[6], values[7]));
}

DEVICE void store_chunk(float* to, const float (&values)[CHUNK]) {
    *reinterpret_cast<float4*>(to) = make_float4(values[0], values[1], values[2], values[3]);
    *reinterpret_cast<float4*>(to + 4) = make_float4(values[4], values[5], values[6], values[7]);
}

// Where a chunk of 16 bytes of a row lies in shared memory, in elements: rows that are read together lie in different banks.
template <u32 SIZE>
DEVICE u32 swizzled(u32 row, u32 chunk) {
    static_assert(SIZE == 32 || SIZE == 64, "rows of 64 or 128 bytes");
    return row * SIZE + (SIZE == 64 ? chunk ^ (row & 7) : chunk ^ (row >> 1 & 3)) * CHUNK;
}

template <u32 ACTIVATION>
DEVICE float activated(float x) {
    if constexpr (ACTIVATION == GELU) {
        return 0.5f * x * (1.0f + erff(x * 0.70710678f));
    } else if constexpr (ACTIVATION == GELU_TANH) {
        return 0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
    } else if constexpr (ACTIVATION == GELU_QUICK) {
        return x / (1.0f + expf(-1.702f * x));
    } else {
        return x;
    }
}

// Calls `WORK<ACTIVATION>` with the activation that a number names.
#define WITH_ACTIVATION(activation, WORK, ...)        \
    switch (activation) {                             \
        case GELU: WORK<GELU>(__VA_ARGS__); break;    \
        case GELU_TANH: WORK<GELU_TANH>(__VA_ARGS__); break; \
        case GELU_QUICK: WORK<GELU_QUICK>(__VA_ARGS__); break; \
        default: WORK<NO_ACTIVATION>(__VA_ARGS__);    \
    }
