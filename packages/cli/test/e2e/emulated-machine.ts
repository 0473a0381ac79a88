import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** An example of the Rust crate, which the tests' build of the engine makes beside the add-on. */
const LIBRARY = fileURLToPath(new URL('../../../../target/debug/examples/libemulated_machine.so', import.meta.url));

/** The names by which a program looks for NVIDIA's libraries. */
const NAMES = ['libcuda.so.1', 'libnvidia-ml.so.1', 'libnvrtc.so.12', 'libcublasLt.so.12'];

/** The reason for which no machine with GPUs can be emulated here; null where one can. */
export function emulationAbsence(): string | null {
  if (!existsSync(LIBRARY)) return `there is no ${LIBRARY}, which npm test builds`;
  const compiler = process.env.CXX || 'c++';
  const { error } = spawnSync(compiler, ['--version']);
  return error === undefined ? null : `there is no C++ compiler ${compiler}`;
}

/** A machine with GPUs that the CPU emulates, for the processes that have its environment. */
export class EmulatedMachine {
  readonly env: NodeJS.ProcessEnv;
  readonly #state: string;

  /** @param folder an empty one */
  constructor(folder: string) {
    mkdirSync(folder);
    for (const name of NAMES) symlinkSync(LIBRARY, join(folder, name));
    this.#state = join(folder, 'state');
    this.set();
    this.env = { LD_LIBRARY_PATH: folder, PELORUS_EMULATED_MACHINE: this.#state };
  }

  /** Sets its state from now on, beside the two devices that it has. */
  set(...lines: string[]): void {
    writeFileSync(this.#state, ['devices 2', ...lines].join('\n'));
  }
}
