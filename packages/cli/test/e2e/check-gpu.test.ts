import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { EmulatedMachine, emulationAbsence } from './emulated-machine.js';
import { emptyFolder } from './server-process.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** An example of the Rust crate, which the tests' build of the engine makes beside the add-on. */
const program = join(root, 'target', 'debug', 'examples', 'check_gpu');

const folder = emptyFolder('check-gpu');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    env: { ...process.env, VIRTUAL_ENV: folder, ...env },
    cwd: root,
  });
  if (error !== undefined) throw error;
  return { status, said: `${stdout}${stderr}` };
}

/** No Python: what is compared here does not depend on what this machine has installed. */
const SMALL = ['--small', '--python', join(folder, 'no-python')];

describe.skipIf(process.platform !== 'linux' || !existsSync(program))('the check on a GPU', () => {
  test('says aloud that there is no GPU, and fails unless that is allowed', () => {
    const refused = run(program, ['run']);
    expect(refused.said).toContain('no GPU: skipped. NOTHING WAS CHECKED: the NVIDIA driver was not found');
    expect(refused.status).toBe(3);
    expect(run(program, ['run', '--allow-no-gpu']).status).toBe(0);
    expect(run(program, ['sprint'])).toMatchObject({
      status: 1,
      said: expect.stringContaining('expected: precompile'),
    });
  });

  test.skipIf(emulationAbsence() !== null)('runs whole from the folder that travels, and tells what it lacks', () => {
    const machine = new EmulatedMachine(join(folder, 'machine'));
    const libraries = { ...machine.env, PELORUS_CUDA_LIBRARY_PATH: machine.env.LD_LIBRARY_PATH };
    const bundle = join(folder, 'bundle');
    const prepared = run(process.execPath, [join(root, 'scripts', 'check-gpu.mjs'), 'prepare', bundle, '90'], {
      ...libraries,
      PELORUS_CHECK_GPU_PROGRAM: program,
    });
    expect(prepared, prepared.said).toMatchObject({ status: 0 });
    expect(readdirSync(join(bundle, 'kernels')).length).toBe(5);

    const { status, said } = run(join(bundle, 'run.sh'), SMALL, libraries);
    expect(status, said).toBe(0);
    expect(said).toMatch(/\b\d{3} right, 0 wrong/);
    for (const row of [
      'attention_64_offsets bf16',
      'cuBLASLt 40 x 384 x 128 f16',
      'nearest L2, tiles, filtered',
      'small against the processor, Mean',
      'little room: smaller passes',
      'no room: the processor',
      'lost device: the processor',
    ]) {
      expect(said).toMatch(new RegExp(`right +\\| ${row}`));
    }
    expect(said).toContain('NOT COMPARED, for want of it: nearest against peers, small against peers');
  });

  test.skipIf(emulationAbsence() !== null)('exits with 1 where a value is wrong, and names it', () => {
    const machine = new EmulatedMachine(join(folder, 'faulty'));
    machine.set('faulty');
    const { status, said } = run(program, ['run', ...SMALL], machine.env);
    expect(status, said).toBe(1);
    expect(said).toMatch(/WRONG +\| cuBLASLt 5 x 72 x 40 f16/);
    expect(said).toMatch(/WRONG +\| models .*vectors of the device have a cosine/);
    expect(said).toMatch(/\nWRONG: cuBLASLt 5 x 72 x 40 f16, /);
  });
});
