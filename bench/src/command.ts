import { spawn } from 'node:child_process';

/** Runs a command to its end, its output shown; fails unless it ends well. */
export function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string | undefined> = process.env,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${command} ${args.join(' ')} ended with ${signal ?? `exit code ${code}`}`));
    });
  });
}
