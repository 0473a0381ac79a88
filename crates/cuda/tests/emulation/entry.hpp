// The way from the tests to the kernels of a program: one function, by name.

#define ENTRY(kernel) {#kernel, emulation::Call<kernel>::call, emulation::Call<kernel>::parameters}

#define RUN(entries)                                                                                              \
    extern "C" const char* pelorus_run(const char* kernel, const unsigned* grid, unsigned block, void** arguments, \
                                       unsigned count, uint64_t order) {                                          \
        for (const emulation::Entry& entry : entries) {                                                           \
            if (std::strcmp(entry.name, kernel) != 0) continue;                                                   \
            if (entry.parameters != count) return "another number of parameters";                                 \
            const unsigned blocks[2] = {grid[0], grid[1]};                                                        \
            return emulation::run(entry.call, blocks, block, arguments, order);                                   \
        }                                                                                                         \
        return "no such kernel";                                                                                  \
    }
