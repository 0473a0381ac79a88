import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './command.ts';
import { BENCH, CACHE } from './paths.ts';

const FOLDER = join(BENCH, 'peers', 'lucene');
/** The oldest Java that runs it. */
const JAVA = 21;
const MACHINES = '/usr/lib/jvm';

const version = /<artifactId>lucene-core<\/artifactId>\s*<version>([^<]+)/.exec(
  readFileSync(join(FOLDER, 'pom.xml'), 'utf8'),
)?.[1];
/** With the version that the peer's `pom.xml` names. */
export const LUCENE = `Lucene ${version}`;

/** Written once Maven has fetched everything. */
const CLASSES = join(CACHE, `lucene-${version}.classpath`);

export const luceneIsFetched = () => existsSync(CLASSES);

/** The start of a program of the peer's folder. */
export interface LuceneProgram {
  readonly command: string;
  readonly args: readonly string[];
}

/** Fetches the missing parts by Maven. Fails where there is no Java or no Maven. */
export async function lucene(program: string, say: (line: string) => void): Promise<LuceneProgram> {
  const command = java();
  if (!luceneIsFetched()) {
    say(`fetching ${LUCENE}`);
    mkdirSync(CACHE, { recursive: true });
    await run('mvn', ['-q', '-B', 'dependency:build-classpath', `-Dmdep.outputFile=${CLASSES}`], FOLDER);
  }
  const classes = readFileSync(CLASSES, 'utf8').trim();
  const options = [
    '-Xmx2g',
    '--add-modules',
    'jdk.incubator.vector',
    '--enable-native-access=ALL-UNNAMED',
    '-cp',
    classes,
  ];
  return { command, args: [...options, join(FOLDER, program)] };
}

function java(): string {
  const homes = existsSync(MACHINES) ? readdirSync(MACHINES).map((name) => join(MACHINES, name)) : [];
  const found = [process.env.JAVA_HOME, ...homes].filter((home) => home !== undefined);
  const command = ['java', ...found.map((home) => join(home, 'bin', 'java'))].find((each) => release(each) >= JAVA);
  if (command === undefined) throw new Error(`it needs Java ${JAVA} or later`);
  return command;
}

/** The folder of a Java that runs it. */
export function javaHome(): string {
  const { stderr } = spawnSync(java(), ['-XshowSettings:properties', '-version'], { encoding: 'utf8' });
  const [, home] = /java\.home = (.+)/.exec(stderr) ?? [];
  if (home === undefined) throw new Error('its Java does not tell where it is');
  return home.trim();
}

/** The release of a Java, 0 where it does not start. */
function release(command: string): number {
  try {
    const answer = execFileSync(command, ['--version'], { encoding: 'utf8' });
    return Number(/ (\d+)/.exec(answer)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
