import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BENCH, CACHE } from './paths.ts';

const FOLDER = join(BENCH, 'peers', 'lucene');
/** Named in the peer's `pom.xml`. */
const version = () => /<artifactId>lucene-core<\/artifactId>\s*<version>([^<]+)/.exec(readPom())?.[1] ?? '';
const readPom = () => readFileSync(join(FOLDER, 'pom.xml'), 'utf8');

/** Lucene as a peer. Needs Java and Maven, which fetches its packages once. */
export class Lucene {
  readonly title: string;
  readonly #classes: string;

  private constructor(title: string, classes: string) {
    this.title = title;
    this.#classes = classes;
  }

  /**
   * Fetches what is missing.
   * @throws what keeps Java or Maven from it
   */
  static install(say: (line: string) => void): Lucene {
    mkdirSync(CACHE, { recursive: true });
    const list = join(CACHE, `lucene-${version()}.classpath`);
    if (!existsSync(list)) {
      say(`fetching Lucene ${version()}`);
      const args = ['-q', '-B', 'dependency:build-classpath', `-Dmdep.outputFile=${list}`];
      execFileSync('mvn', args, { cwd: FOLDER, stdio: ['ignore', 2, 2] });
    }
    return new Lucene(`Lucene ${version()}`, readFileSync(list, 'utf8').trim());
  }

  /** Runs a program of the peer's folder, which reads lines and writes lines. */
  run(program: string, lines: readonly string[]): string[] {
    const args = ['-cp', this.#classes, join(FOLDER, program)];
    const input = lines.map((line) => `${line}\n`).join('');
    const maxBuffer = 64 * 1024 * 1024;
    const out = execFileSync('java', args, { input, maxBuffer, stdio: ['pipe', 'pipe', 2] });
    return out.toString('utf8').split('\n').slice(0, -1);
  }
}
