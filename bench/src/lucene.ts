import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { javaHome } from '../../scripts/opensearch/java.mjs';
import { run } from './command.ts';
import { BENCH, CACHE } from './paths.ts';

const FOLDER = join(BENCH, 'peers', 'lucene');
/** The oldest Java that runs it. */
const JAVA = 21;

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
  const home = javaHome(JAVA);
  if (home === null) throw new Error(`it needs Java ${JAVA} or later`);
  return join(home, 'bin', 'java');
}
