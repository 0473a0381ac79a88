import { spawnSync } from 'node:child_process';
import { SetupFailure } from '../failure.mjs';
import { ROOT } from '../paths.mjs';

/** The output of git; a failure ends the drill. */
export function mustSucceed(args) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new SetupFailure(`git ${args.join(' ')}: ${stderr}`);
  return stdout;
}
