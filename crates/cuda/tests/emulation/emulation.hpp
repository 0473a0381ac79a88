// Runs the kernels on the CPU: what CUDA's language has beyond C++, for one block after the other.
//
// The threads of a block are fibers of one thread of the system. A fiber runs until it waits: at a barrier for the block, at
// an operation of a warp for its lanes. Who goes on is settled by the number `order` of a launch, so a run repeats. Runs of
// several orders that agree to the bit show that no barrier is missing between what one thread writes and another reads:
//
//   0  the first thread that can go on does, so the first warp is ahead; copies to shared memory arrive as late as they may
//   1  the last one does, and the last block is first; copies arrive at once
//   n  all threads in turn, in an order that n is the seed of; some copies arrive at once
//
// Found and told: lanes that wait for different operations, a barrier that nobody can reach, matrix rows off their 16 bytes,
// copies that nobody waits for. Shared memory begins as NaN, and each array ends before a page that cannot be read.

#pragma once

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define PELORUS_EMULATION
#define DEVICE inline
#define __global__
#define __launch_bounds__(...)
#define SHARED(type, name, count) type* name = static_cast<type*>(emulation::shared(sizeof(type) * (count)))

// The tests define CAPABILITY before.
#define HAS_ASYNC_COPIES (CAPABILITY >= 80)

struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
struct alignas(16) float4 {
    float x, y, z, w;
};

inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
    return {x, y, z, w};
}

inline float4 make_float4(float x, float y, float z, float w) {
    return {x, y, z, w};
}

inline float __uint_as_float(unsigned bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

inline unsigned __float_as_uint(float value) {
    unsigned bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

namespace emulation {

constexpr unsigned LANES = 32, THREADS_MAX = 1024, ARRAYS_MAX = 8;
constexpr size_t STACK_BYTES = 256 << 10, SHARED_MAX = 48 << 10;

struct Index {
    unsigned x, y, z;
};

struct Copy {
    void* to;
    unsigned char bytes[16];
};

enum class State { ready, at_barrier, in_warp, done };

struct Fiber {
    void* stack;
    ucontext_t context;
    std::jmp_buf jump;
    bool is_started = false;
    State state = State::done;
    Index thread = {};
    unsigned arrays = 0;
    size_t shared_bytes = 0;
    // Copies on their way, by the groups that they were committed in; the last is open.
    std::vector<std::vector<Copy>> groups;
};

// Lanes that have come to an operation, each with what it brings.
struct Meeting {
    const void* operation = nullptr;
    unsigned mask = 0, arrived = 0;
    void* parts[LANES] = {};
};

struct Machine {
    std::vector<Fiber*> fibers;
    std::vector<Meeting> meetings;
    std::vector<unsigned> turns;
    std::jmp_buf scheduler;
    Fiber* current = nullptr;
    Index grid = {}, block = {}, block_size = {};
    unsigned alive = 0, at_barrier = 0;
    uint64_t order = 0, random = 0;
    unsigned char* arena = nullptr;
    size_t arena_slot = 0;
    void (*kernel)(void**) = nullptr;
    void** arguments = nullptr;
    const char* failure = nullptr;
};

inline Machine& machine() {
    static thread_local Machine one;
    return one;
}

inline uint64_t draw() {
    uint64_t mixed = machine().random += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return mixed ^ mixed >> 31;
}

// Ends the launch. Fibers are left where they are and begin anew at the next.
[[noreturn]] inline void fail(const char* reason) {
    Machine& m = machine();
    m.failure = reason;
    for (Fiber* fiber : m.fibers) fiber->is_started = false;
    _longjmp(m.scheduler, 1);
}

inline void wait_as(State state) {
    Machine& m = machine();
    Fiber* fiber = m.current;
    fiber->state = state;
    if (_setjmp(fiber->jump) == 0) _longjmp(m.scheduler, 1);
}

inline void release_barrier() {
    Machine& m = machine();
    if (m.alive == 0 || m.at_barrier < m.alive) return;
    m.at_barrier = 0;
    for (Fiber* fiber : m.fibers) {
        if (fiber->state == State::at_barrier) fiber->state = State::ready;
    }
}

inline void barrier() {
    Machine& m = machine();
    m.at_barrier++;
    m.current->state = State::at_barrier;
    release_barrier();
    if (m.current->state == State::at_barrier) wait_as(State::at_barrier);
}

// Brings a part to an operation of the warp; `operation` computes it from all parts once every lane of the mask is there.
template <typename Part>
void meet(unsigned mask, Part& part, void (*operation)(Part* (&parts)[LANES], unsigned mask)) {
    Machine& m = machine();
    unsigned index = m.current->thread.x, lane = index % LANES;
    Meeting& meeting = m.meetings[index / LANES];
    if (!(mask >> lane & 1)) fail("a lane is not in the mask of its own operation");
    const void* name = reinterpret_cast<const void*>(operation);
    if (meeting.arrived == 0) {
        meeting.operation = name;
        meeting.mask = mask;
    } else if (meeting.operation != name || meeting.mask != mask) {
        fail("lanes of a warp wait for different operations");
    }
    meeting.parts[lane] = &part;
    meeting.arrived |= 1u << lane;
    if (meeting.arrived != mask) {
        wait_as(State::in_warp);
        return;
    }
    Part* parts[LANES];
    for (unsigned i = 0; i < LANES; i++) parts[i] = static_cast<Part*>(meeting.parts[i]);
    operation(parts, mask);
    meeting.arrived = 0;
    for (unsigned i = 0; i < LANES; i++) {
        if (mask >> i & 1 && i != lane) m.fibers[index / LANES * LANES + i]->state = State::ready;
    }
}

// The next array of the block's shared memory: every thread asks for the same ones in the same order.
inline void* shared(size_t bytes) {
    Machine& m = machine();
    bytes = (bytes + 15) / 16 * 16;
    unsigned array = m.current->arrays++;
    m.current->shared_bytes += bytes;
    if (array >= ARRAYS_MAX || m.current->shared_bytes > SHARED_MAX) fail("a block has more shared memory than 48 KiB");
    // It ends where the slot's readable pages do.
    return m.arena + (array + 1) * m.arena_slot - static_cast<size_t>(getpagesize()) - bytes;
}

inline bool prepare_arena() {
    Machine& m = machine();
    size_t page = static_cast<size_t>(getpagesize());
    if (m.arena == nullptr) {
        size_t readable = (SHARED_MAX + page - 1) / page * page;
        m.arena_slot = readable + page;
        void* memory = mmap(nullptr, m.arena_slot * ARRAYS_MAX, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) return false;
        m.arena = static_cast<unsigned char*>(memory);
        for (unsigned i = 1; i <= ARRAYS_MAX; i++) mprotect(m.arena + i * m.arena_slot - page, page, PROT_NONE);
    }
    for (unsigned i = 0; i < ARRAYS_MAX; i++) std::memset(m.arena + i * m.arena_slot, 0xff, m.arena_slot - page);
    return true;
}

inline void enter() {
    for (;;) {
        Machine& m = machine();
        Fiber* fiber = m.current;
        m.kernel(m.arguments);
        for (const std::vector<Copy>& group : fiber->groups) {
            if (!group.empty()) fail("a thread ends before its copies have arrived");
        }
        m.alive--;
        fiber->state = State::done;
        release_barrier();
        wait_as(State::done);
    }
}

inline void resume(Fiber* fiber) {
    Machine& m = machine();
    m.current = fiber;
    if (_setjmp(m.scheduler) != 0) return;
    if (fiber->is_started) _longjmp(fiber->jump, 1);
    fiber->is_started = true;
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->stack;
    fiber->context.uc_stack.ss_size = STACK_BYTES;
    fiber->context.uc_link = nullptr;
    makecontext(&fiber->context, enter, 0);
    setcontext(&fiber->context);
}

inline void run_block() {
    Machine& m = machine();
    unsigned threads = m.block_size.x;
    if (!prepare_arena()) {
        m.failure = "no memory";
        return;
    }
    m.meetings.assign((threads + LANES - 1) / LANES, {});
    m.alive = threads;
    m.at_barrier = 0;
    m.turns.resize(threads);
    for (unsigned i = 0; i < threads; i++) {
        Fiber* fiber = m.fibers[i];
        fiber->state = State::ready;
        fiber->thread = {i, 0, 0};
        fiber->arrays = 0;
        fiber->shared_bytes = 0;
        fiber->groups.assign(1, {});
        m.turns[i] = m.order == 1 ? threads - 1 - i : i;
    }
    for (unsigned i = threads; m.order > 1 && i > 1; i--) std::swap(m.turns[i - 1], m.turns[draw() % i]);
    while (m.alive > 0) {
        bool has_run = false;
        for (unsigned turn : m.turns) {
            if (m.fibers[turn]->state != State::ready) continue;
            has_run = true;
            resume(m.fibers[turn]);
            if (m.failure != nullptr) return;
            // The first that can go on does, as far ahead of the others as barriers let it.
            if (m.order <= 1) break;
        }
        if (!has_run) {
            m.failure = "threads wait for others that never come";
            for (Fiber* fiber : m.fibers) fiber->is_started = false;
            return;
        }
    }
}

// Runs a kernel and answers what went wrong, or null.
inline const char* run(void (*kernel)(void**), const unsigned (&grid)[2], unsigned block, void** arguments, uint64_t order) {
    Machine& m = machine();
    m.failure = nullptr;
    if (block == 0 || block > THREADS_MAX || grid[0] == 0 || grid[1] == 0) return "no grid that a driver takes";
    if (grid[0] > 0x7fffffff || grid[1] > 0xffff) return "no grid that a driver takes";
    while (m.fibers.size() < block) {
        Fiber* fiber = new Fiber;
        void* stack = mmap(nullptr, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (stack == MAP_FAILED) return "no memory";
        fiber->stack = stack;
        m.fibers.push_back(fiber);
    }
    m.kernel = kernel;
    m.arguments = arguments;
    m.grid = {grid[0], grid[1], 1};
    m.block_size = {block, 1, 1};
    m.order = m.random = order;
    uint64_t blocks = static_cast<uint64_t>(grid[0]) * grid[1];
    for (uint64_t i = 0; i < blocks; i++) {
        uint64_t number = order == 1 ? blocks - 1 - i : i;
        m.block = {static_cast<unsigned>(number % grid[0]), static_cast<unsigned>(number / grid[0]), 0};
        run_block();
        if (m.failure != nullptr) return m.failure;
    }
    return nullptr;
}

// Calls a kernel with arguments as a driver is given them: the place of each.
template <auto KERNEL>
struct Call;

template <typename... Parameters, void (*KERNEL)(Parameters...)>
struct Call<KERNEL> {
    template <size_t... I>
    static void unpack(void** arguments, std::index_sequence<I...>) {
        KERNEL(*static_cast<std::remove_cv_t<Parameters>*>(arguments[I])...);
    }

    static void call(void** arguments) {
        unpack(arguments, std::index_sequence_for<Parameters...>());
    }

    static constexpr unsigned parameters = sizeof...(Parameters);
};

struct Entry {
    const char* name;
    void (*call)(void**);
    unsigned parameters;
};

}  // namespace emulation

#define threadIdx (emulation::machine().current->thread)
#define blockIdx (emulation::machine().block)
#define blockDim (emulation::machine().block_size)
#define gridDim (emulation::machine().grid)

inline void __syncthreads() {
    emulation::barrier();
}

template <typename T>
T __shfl_xor_sync(unsigned mask, T value, unsigned distance) {
    static_assert(sizeof(T) == 4);
    struct Part {
        T value;
        unsigned distance;
        T result;
    };
    Part part = {value, distance, value};
    emulation::meet<Part>(mask, part, [](Part*(&parts)[emulation::LANES], unsigned mask) {
        for (unsigned lane = 0; lane < emulation::LANES; lane++) {
            unsigned other = lane ^ (mask >> lane & 1 ? parts[lane]->distance : 0);
            if (mask >> lane & 1 && mask >> other & 1) parts[lane]->result = parts[other]->value;
        }
    });
    return part.result;
}

inline unsigned __match_any_sync(unsigned mask, unsigned value) {
    struct Part {
        unsigned value, result;
    };
    Part part = {value, 0};
    emulation::meet<Part>(mask, part, [](Part*(&parts)[emulation::LANES], unsigned mask) {
        for (unsigned lane = 0; lane < emulation::LANES; lane++) {
            for (unsigned other = 0; other < emulation::LANES; other++) {
                bool both = mask >> lane & 1 && mask >> other & 1;
                if (both && parts[lane]->value == parts[other]->value) parts[lane]->result |= 1u << other;
            }
        }
    });
    return part.result;
}

inline int __popc(unsigned bits) {
    return __builtin_popcount(bits);
}

inline unsigned atomicAdd(unsigned* at, unsigned value) {
    unsigned before = *at;
    *at += value;
    return before;
}

inline void copy_async(void* shared, const void* global, bool counts) {
    emulation::Machine& m = emulation::machine();
    if (reinterpret_cast<uintptr_t>(shared) % 16 != 0) emulation::fail("a copy is off its 16 bytes");
    if (counts && reinterpret_cast<uintptr_t>(global) % 16 != 0) emulation::fail("a copy is off its 16 bytes");
    emulation::Copy copy = {shared, {}};
    if (counts) std::memcpy(copy.bytes, global, sizeof copy.bytes);
    bool at_once = !HAS_ASYNC_COPIES || m.order == 1 || (m.order > 1 && emulation::draw() % 2 == 0);
    if (at_once) {
        std::memcpy(copy.to, copy.bytes, sizeof copy.bytes);
    } else {
        m.current->groups.back().push_back(copy);
    }
}

inline void copy_commit() {
    emulation::machine().current->groups.emplace_back();
}

template <int LAST>
void copy_wait() {
    auto& groups = emulation::machine().current->groups;
    // The open group does not count.
    for (size_t i = 0; i + LAST + 1 < groups.size(); i++) {
        for (const emulation::Copy& copy : groups[i]) std::memcpy(copy.to, copy.bytes, sizeof copy.bytes);
        groups[i].clear();
    }
}

namespace emulation {

struct MatrixPart {
    const void* row;
    unsigned (*out)[4];
};

template <bool IS_TRANSPOSED>
void load(unsigned (&out)[4], const void* row) {
    if (reinterpret_cast<uintptr_t>(row) % 16 != 0) fail("a row of a matrix is off its 16 bytes");
    MatrixPart part = {row, &out};
    meet<MatrixPart>(0xffffffff, part, [](MatrixPart*(&parts)[LANES], unsigned) {
        for (unsigned matrix = 0; matrix < 4; matrix++) {
            unsigned short elements[8][8];
            for (unsigned row = 0; row < 8; row++) std::memcpy(elements[row], parts[matrix * 8 + row]->row, 16);
            for (unsigned lane = 0; lane < LANES; lane++) {
                unsigned g = lane / 4, t = lane % 4 * 2;
                unsigned first = IS_TRANSPOSED ? elements[t][g] : elements[g][t];
                unsigned second = IS_TRANSPOSED ? elements[t + 1][g] : elements[g][t + 1];
                (*parts[lane]->out)[matrix] = first | second << 16;
            }
        }
    });
}

struct ProductPart {
    float (*sums)[4];
    const unsigned (*a)[4];
    unsigned b[2];
};

// Products of elements are exact; their sum is rounded once, where tensor cores round as they please.
template <float (*VALUE)(unsigned short)>
void multiply(float (&sums)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    ProductPart part = {&sums, &a, {b0, b1}};
    meet<ProductPart>(0xffffffff, part, [](ProductPart*(&parts)[LANES], unsigned) {
        double left[16][16], right[16][8];
        auto half = [](unsigned pair, unsigned i) { return static_cast<double>(VALUE(static_cast<unsigned short>(pair >> 16 * i))); };
        for (unsigned lane = 0; lane < LANES; lane++) {
            unsigned g = lane / 4, t = lane % 4 * 2;
            for (unsigned i = 0; i < 2; i++) {
                for (unsigned part = 0; part < 4; part++) {
                    left[g + part % 2 * 8][t + part / 2 * 8 + i] = half((*parts[lane]->a)[part], i);
                }
                right[t + i][g] = half(parts[lane]->b[0], i);
                right[t + 8 + i][g] = half(parts[lane]->b[1], i);
            }
        }
        for (unsigned lane = 0; lane < LANES; lane++) {
            unsigned g = lane / 4, t = lane % 4 * 2;
            for (unsigned i = 0; i < 4; i++) {
                double sum = (*parts[lane]->sums)[i];
                for (unsigned depth = 0; depth < 16; depth++) sum += left[g + i / 2 * 8][depth] * right[depth][t + i % 2];
                (*parts[lane]->sums)[i] = static_cast<float>(sum);
            }
        }
    });
}

}  // namespace emulation

inline void load_matrices(unsigned (&out)[4], const void* row) {
    emulation::load<false>(out, row);
}

inline void load_matrices_transposed(unsigned (&out)[4], const void* row) {
    emulation::load<true>(out, row);
}

inline float power_of_2(float x) {
    float result = exp2f(x);
    return result < 1.17549435e-38f ? 0.0f : result;
}

inline float half_to_float(unsigned short bits) {
    unsigned sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31, mantissa = bits & 1023;
    if (exponent == 31) return __uint_as_float(sign | 0x7f800000 | mantissa << 13);
    float magnitude = exponent == 0 ? static_cast<float>(mantissa) * 0x1p-24f
                                    : __uint_as_float((exponent + 112) << 23 | mantissa << 13);
    return sign != 0 ? -magnitude : magnitude;
}

inline unsigned short float_to_half(float value) {
    unsigned bits = __float_as_uint(value), sign = bits >> 16 & 0x8000;
    float magnitude = std::fabs(value);
    if (std::isnan(value)) return 0x7fff;
    if (magnitude >= 65520.0f) return static_cast<unsigned short>(sign | 0x7c00);
    // In steps of the last place; nearbyint rounds ties to even.
    int exponent = magnitude == 0.0f ? -14 : std::max(-14, std::ilogb(magnitude));
    unsigned steps = static_cast<unsigned>(std::nearbyint(std::scalbn(magnitude, 10 - exponent)));
    return static_cast<unsigned short>(sign | (static_cast<unsigned>(exponent + 14) * 1024 + steps));
}

inline unsigned short float_to_brain(float value) {
    unsigned bits = __float_as_uint(value);
    if (std::isnan(value)) return 0x7fff;
    return static_cast<unsigned short>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

inline void multiply_halves(float (&sums)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    emulation::multiply<half_to_float>(sums, a, b0, b1);
}

inline float brain_to_float(unsigned short bits) {
    return __uint_as_float(static_cast<unsigned>(bits) << 16);
}

inline void multiply_brains(float (&sums)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    emulation::multiply<brain_to_float>(sums, a, b0, b1);
}
