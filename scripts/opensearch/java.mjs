import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const MACHINES = '/usr/lib/jvm';

/**
 * The folder of a Java of this release or a later one; null where there is none.
 *
 * @param {number} releaseMin
 */
export function javaHome(releaseMin) {
  const homes = existsSync(MACHINES) ? readdirSync(MACHINES).map((name) => join(MACHINES, name)) : [];
  const named = process.env.JAVA_HOME ? [process.env.JAVA_HOME, ...homes] : homes;
  for (const command of ['java', ...named.map((home) => join(home, 'bin', 'java'))]) {
    const { stderr } = spawnSync(command, ['-XshowSettings:properties', '-version'], { encoding: 'utf8' });
    const release = Number(/java\.specification\.version = (\d+)/.exec(stderr ?? '')?.[1] ?? 0);
    const home = /java\.home = (.+)/.exec(stderr ?? '')?.[1]?.trim();
    if (release >= releaseMin && home !== undefined) return home;
  }
  return null;
}
