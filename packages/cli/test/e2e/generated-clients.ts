import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fetched } from './fetched.js';
import { pythonWith } from './python-environment.js';

const run = promisify(execFile);

const DOCUMENT = fileURLToPath(new URL('../../../contract/src/generated/openapi.json', import.meta.url));
const PROGRAMS = fileURLToPath(new URL('generated-clients', import.meta.url));
const TARGET = fileURLToPath(new URL('../../../../target/clients', import.meta.url));

const GENERATOR_VERSION = '7.24.0';
const GENERATOR = 'org/openapitools/openapi-generator-cli';
const NPM_PACKAGES = ['@hey-api/openapi-ts@0.99.0', '@stoplight/spectral-cli@6.16.3', 'typescript@5.9.3'];
const PYTHON_PACKAGES = ['pydantic==2.14.4', 'python-dateutil==2.9.0.post0', 'urllib3==2.8.0'];

/** Options of a JVM of a few seconds: code that is compiled once, a collector of one thread. */
const QUICK_JVM = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

/** A command and its arguments. */
type CommandLine = readonly [string, ...string[]];

/** A client that a generator writes from the published document. */
export interface GeneratedClient {
  readonly language: string;
  /** Commands of the machine without which it cannot be made. */
  readonly needs: readonly string[];
  /** Generates and compiles it with its program in a folder of its own. */
  make(folder: string): Promise<void>;
  /** The program that makes six calls. */
  program(folder: string): CommandLine;
  readonly env?: (folder: string) => NodeJS.ProcessEnv;
}

const python: GeneratedClient = {
  language: 'Python',
  needs: ['java', 'mvn', 'python3'],
  async make(folder) {
    await generate('python', folder, 'packageName=pelorus');
    await fetched(() => pythonWith(PYTHON_PACKAGES));
  },
  program: () => [pythonWith(PYTHON_PACKAGES), join(PROGRAMS, 'six_calls.py')],
  env: (folder) => ({ PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' }),
};

const go: GeneratedClient = {
  language: 'Go',
  needs: ['java', 'mvn', 'go'],
  async make(folder) {
    // Names of constants are those of their types: two states of indexes are called READY.
    await generate('go', folder, 'packageName=pelorus,enumClassPrefix=true');
    const module = join(folder, 'go.mod');
    writeFileSync(module, readFileSync(module, 'utf8').replace(/^module .*$/m, 'module example.com/pelorus'));
    mkdirSync(join(folder, 'calls'));
    cpSync(join(PROGRAMS, 'six_calls.go'), join(folder, 'calls', 'main.go'));
    await fetched(() => run('go', ['mod', 'download'], { cwd: folder }));
    // Six calls need no fast code, and no C.
    const quick = ['-gcflags=all=-N -l', '-ldflags=-s -w'];
    const env = { ...process.env, CGO_ENABLED: '0' };
    await run('go', ['build', ...quick, '-o', 'six-calls', './calls'], { cwd: folder, env });
  },
  program: (folder) => [join(folder, 'six-calls')],
};

const java: GeneratedClient = {
  language: 'Java',
  needs: ['java', 'javac', 'mvn'],
  async make(folder) {
    // Java has no choice of a map and a text but by classes for both.
    const packages = 'invokerPackage=org.pelorus,apiPackage=org.pelorus.api,modelPackage=org.pelorus.model';
    const options = `containerDefaultToNull=true,${packages}`;
    await generate('java', folder, options, '--library', 'okhttp-gson', '--generate-alias-as-model');
    const copy = 'org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies';
    await fetched(() => maven(['-q', copy, '-DincludeScope=compile', '-DoutputDirectory=jars'], folder));
    const sources = readdirSync(join(folder, 'src', 'main', 'java'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.java'))
      .map((name) => join('src', 'main', 'java', name));
    writeFileSync(join(folder, 'sources'), [...sources, join(PROGRAMS, 'SixCalls.java')].join('\n'));
    const quick = QUICK_JVM.map((option) => `-J${option}`);
    const what = ['-d', 'classes', '-cp', 'jars/*', '@sources'];
    await run('javac', [...quick, '-nowarn', '-proc:none', ...what], { cwd: folder });
  },
  program: (folder) => [
    'java',
    '-cp',
    [join(folder, 'classes'), join(folder, 'jars', '*')].join(delimiter),
    'SixCalls',
  ],
};

const typescript: GeneratedClient = {
  language: 'TypeScript',
  needs: ['npm'],
  async make(folder) {
    const packages = await npmPackages();
    const generator = join(packages, '@hey-api', 'openapi-ts', 'bin', 'run.js');
    const generated = join(folder, 'generated');
    await run(process.execPath, [generator, '-i', DOCUMENT, '-o', generated, '-c', '@hey-api/client-fetch'], {
      cwd: folder,
    });
    cpSync(join(PROGRAMS, 'six-calls.mts'), join(folder, 'six-calls.ts'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }');
    const types = fileURLToPath(new URL('../../../../node_modules/@types', import.meta.url));
    const flags = ['--strict', '--target', 'es2022', '--module', 'commonjs', '--moduleResolution', 'node10'];
    const compiler = join(packages, 'typescript', 'bin', 'tsc');
    const bundle = ['--outDir', 'compiled', '--typeRoots', types, '--types', 'node', '--skipLibCheck'];
    await run(process.execPath, [compiler, ...flags, ...bundle, 'six-calls.ts'], { cwd: folder });
  },
  program: (folder) => [process.execPath, join(folder, 'compiled', 'six-calls.js')],
};

export const generatedClients: readonly GeneratedClient[] = [python, go, java, typescript];

/** The folder of a client, made once for each form of the published document and of its program. */
export async function madeClient(client: GeneratedClient): Promise<string> {
  const hash = createHash('sha256').update(GENERATOR_VERSION).update(readFileSync(DOCUMENT));
  for (const name of readdirSync(PROGRAMS).toSorted()) hash.update(readFileSync(join(PROGRAMS, name)));
  const parent = join(TARGET, client.language.toLowerCase());
  const folder = join(parent, hash.digest('hex').slice(0, 16));
  const complete = join(folder, 'complete');
  if (existsSync(complete)) return folder;
  rmSync(parent, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await client.make(folder);
  writeFileSync(complete, '');
  return folder;
}

/** Runs the program of a client; the JSON that it prints. */
export async function sixCalls(
  client: GeneratedClient,
  folder: string,
  address: string,
  indexName: string,
): Promise<unknown> {
  const [command, ...args] = client.program(folder);
  const env = { ...process.env, ...client.env?.(folder) };
  const { stdout } = await run(command, [...args, address, indexName], { cwd: folder, env });
  return JSON.parse(stdout);
}

/** Commands that are not on the path. */
export function missingCommands(names: readonly string[]): string[] {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const suffixes = process.platform === 'win32' ? ['.exe', '.cmd'] : [''];
  const canRun = (file: string) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  };
  return names.filter(
    (name) => !folders.some((folder) => suffixes.some((suffix) => canRun(join(folder, name + suffix)))),
  );
}

/** The faults that the OpenAPI rules of Spectral find in the published document; '' where it has none. */
export async function spectralFaults(): Promise<string> {
  const packages = await npmPackages();
  const rules = join(TARGET, 'spectral.json');
  writeFileSync(rules, JSON.stringify({ extends: ['spectral:oas'] }));
  const command = join(packages, '@stoplight', 'spectral-cli', 'dist', 'index.js');
  const args = [command, 'lint', '--quiet', '--fail-severity', 'warn', '--ruleset', rules, DOCUMENT];
  return run(process.execPath, args).then(
    ({ stdout }) => stdout.trim(),
    (error: { stdout?: string; stderr?: string }) => `${error.stdout}${error.stderr}`,
  );
}

/** Packages of npm that nothing else needs, installed once and kept beside the build; no script of theirs runs. */
async function npmPackages(): Promise<string> {
  const folder = join(TARGET, 'npm');
  const complete = join(folder, 'complete');
  const wanted = NPM_PACKAGES.join('\n');
  if (!existsSync(complete) || readFileSync(complete, 'utf8') !== wanted) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{}');
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save'];
    const install = ['install', ...options, ...NPM_PACKAGES];
    await fetched(() => run('npm', install, { cwd: folder, shell: process.platform === 'win32' }));
    writeFileSync(complete, wanted);
  }
  return join(folder, 'node_modules');
}

async function generate(generator: string, folder: string, properties: string, ...more: string[]): Promise<void> {
  const documents = ['apiTests', 'modelTests', 'apiDocs', 'modelDocs'].map((name) => `${name}=false`).join();
  const what = ['generate', '--generator-name', generator, '--input-spec', DOCUMENT, '--output', folder];
  const how = ['--global-property', documents, '--additional-properties', properties, ...more];
  await run('java', [...QUICK_JVM, '-jar', await openApiGenerator(), ...what, ...how], { maxBuffer: 2 ** 26 });
}

function maven(args: readonly string[], folder?: string) {
  const env = { ...process.env, MAVEN_OPTS: [process.env.MAVEN_OPTS, ...QUICK_JVM].join(' ').trim() };
  return run('mvn', args, { cwd: folder, env });
}

/** The jar of OpenAPI Generator, from where Maven keeps its files: settings and environment say where. */
async function openApiGenerator(): Promise<string> {
  const [group = '', name = ''] = GENERATOR.split(/\/(?=[^/]*$)/);
  const artifact = `${group.replaceAll('/', '.')}:${name}:${GENERATOR_VERSION}`;
  const file = join(TARGET, `${name}-${GENERATOR_VERSION}.jar`);
  if (existsSync(file)) return file;
  const draft = join(TARGET, randomUUID());
  const copy = 'org.apache.maven.plugins:maven-dependency-plugin:2.8:copy';
  const into = [`-DoutputDirectory=${draft}`, '-Dmdep.stripVersion=false'];
  await fetched(() => maven(['-q', '-B', copy, `-Dartifact=${artifact}`, ...into]));
  renameSync(join(draft, basename(file)), file);
  rmSync(draft, { recursive: true, force: true });
  return file;
}
