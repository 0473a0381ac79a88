// What kernels use of the hardware beyond C++: copies past the registers, matrices of a warp, products of tensor cores.
//
// NVRTC brings no header for 16-bit floats, so these are instructions of PTX by hand. The emulation of the tests
// defines the same names in plain C++ and is the only other place that knows them: a kernel written with them compiles for
// both. Instructions of compute capability 8.0 have a substitute for 7.5.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int i32;

constexpr u32 WARP = 32;
constexpr u32 ALL_LANES = 0xffffffff;

// Numbers of the host's `Activation`, `Pool` and `Nearness`.
constexpr u32 NO_ACTIVATION = 0, GELU = 1, GELU_TANH = 2, GELU_QUICK = 3;
constexpr u32 POOL_MEAN = 0, POOL_FIRST = 1;
constexpr u32 DOT = 0;

#define KERNEL(threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks)

#ifndef PELORUS_EMULATION

#define DEVICE __device__ __forceinline__
// An array of the block's shared memory, on 16 bytes.
#define SHARED(type, name, count) __shared__ __align__(16) type name[count]

// The compute capability, 75 being 7.5.
#define CAPABILITY (__CUDA_ARCH__ / 10)
#define HAS_ASYNC_COPIES (CAPABILITY >= 80)

// Copies 16 bytes to shared memory, or zeros there if they do not count. They are there after `copy_wait` and, for other
// threads, a barrier behind it.
DEVICE void copy_async(void* shared, const void* global, bool counts) {
#if HAS_ASYNC_COPIES
    u32 to = static_cast<u32>(__cvta_generic_to_shared(shared));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(to), "l"(global), "r"(counts ? 16 : 0)
                 : "memory");
#else
    *static_cast<uint4*>(shared) = counts ? *static_cast<const uint4*>(global) : make_uint4(0, 0, 0, 0);
#endif
}

// Closes a group of copies.
DEVICE void copy_commit() {
#if HAS_ASYNC_COPIES
    asm volatile("cp.async.commit_group;\n" ::: "memory");
#endif
}

// Waits for this thread's copies, but for those of its last groups.
template <int LAST>
DEVICE void copy_wait() {
#if HAS_ASYNC_COPIES
    asm volatile("cp.async.wait_group %0;\n" ::"n"(LAST) : "memory");
#endif
}

// Loads four matrices of 8 x 8 elements of 16 bits: lane `8 m + r` names row `r` of matrix `m`, 16 bytes. Lane `4 g + t`
// gets elements `2 t` and `2 t + 1` of row `g` of each.
DEVICE void load_matrices(u32 (&out)[4], const void* row) {
    u32 from = static_cast<u32>(__cvta_generic_to_shared(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
                 : "r"(from)
                 : "memory");
}

// The same, transposed: a lane gets rows `2 t` and `2 t + 1` of column `g`.
DEVICE void load_matrices_transposed(u32 (&out)[4], const void* row) {
    u32 from = static_cast<u32>(__cvta_generic_to_shared(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
                 : "r"(from)
                 : "memory");
}

// `2^x` within 2 units of the last place; results below 2^-126 are zero.
DEVICE float power_of_2(float x) {
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;\n" : "=f"(result) : "f"(x));
    return result;
}

DEVICE float half_to_float(u16 bits) {
    float value;
    asm("cvt.f32.f16 %0, %1;\n" : "=f"(value) : "h"(bits));
    return value;
}

DEVICE u16 float_to_half(float value) {
    u16 bits;
    asm("cvt.rn.f16.f32 %0, %1;\n" : "=h"(bits) : "f"(value));
    return bits;
}

// Adds the product of 16 x 16 halves `a` with 16 x 8 halves `b` to `sums`, in the layouts of PTX's mma.m16n8k16.
DEVICE void multiply_halves(float (&sums)[4], const u32 (&a)[4], u32 b0, u32 b1) {
#if CAPABILITY >= 80
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};\n"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
    // Half the depth at a time; the registers of the larger one are those of two smaller ones.
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};\n"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(b0));
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};\n"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[2]), "r"(a[3]), "r"(b1));
#endif
}

#if CAPABILITY >= 80

// Brain floats are the upper halves of floats.
DEVICE u16 float_to_brain(float value) {
    u16 bits;
    asm("cvt.rn.bf16.f32 %0, %1;\n" : "=h"(bits) : "f"(value));
    return bits;
}

// The same for brain floats.
DEVICE void multiply_brains(float (&sums)[4], const u32 (&a)[4], u32 b0, u32 b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};\n"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

#endif

#endif

// The sum over the lanes of a warp, in each of them.
DEVICE float sum_of_warp(float value) {
    for (u32 distance = WARP / 2; distance > 0; distance /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, distance);
    }
    return value;
}
