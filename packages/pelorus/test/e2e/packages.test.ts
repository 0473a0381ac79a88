import { execFile, execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, parse } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { platformName } from '../../../../bindings/node/platform.js';
import { npm } from '../../../../scripts/command.mjs';
import { ADDON, fromRoot, NODE } from '../../../../scripts/paths.mjs';
import { oldestNode } from '../../../../scripts/release/oldest-node.mjs';
import { STANDALONE } from '../../../../scripts/release/staged-packages.mjs';
import { EmptyPlace, firstSuccess, REQUEST_MS } from '../../../../scripts/release/trial.mjs';
import { ContainerRecipe } from '../../../../scripts/test/container-recipe.js';
import { LoopbackRegistry } from '../../../../scripts/test/loopback-registry.js';
import { blocks } from '../../../cli/test/e2e/page.js';
import { freePort } from '../../../cli/test/e2e/server-process.js';
import { startProcess } from '../../../cli/test/e2e/start-process.js';
import { encoder, wordTokenizer } from '../../../inference/test/onnx/onnx-model.js';

const PACKED = fromRoot('target', 'packages');

/** The output of the dry run of a release, as people see it. */
let shown = '';
let tarballs: string[] = [];
/** Everything, installed. */
let whole: EmptyPlace;

beforeAll(() => {
  // The add-on that is tested, whichever it is: nothing is compiled here.
  const env = { ...process.env, PELORUS_NATIVE_PATH: process.env.PELORUS_NATIVE_PATH || ADDON };
  const args = [fromRoot('scripts', 'release.mjs'), '--dry-run'];
  shown = execFileSync(NODE, args, { env, encoding: 'utf8', maxBuffer: 2 ** 26, stdio: ['ignore', 'pipe', 'inherit'] });
  tarballs = readdirSync(PACKED).map((file) => join(PACKED, file));
  whole = emptyPlace();
  whole.install(tarballs);
});

const places: EmptyPlace[] = [];
afterAll(() => {
  for (const place of places) place.remove();
});

function emptyPlace(node = NODE): EmptyPlace {
  const place = new EmptyPlace(node);
  places.push(place);
  return place;
}

/** Runs the installed command to its end. */
function run(place: EmptyPlace, ...args: string[]) {
  const [command = '', ...rest] = place.command;
  const { status, stdout, stderr } = spawnSync(command, [...rest, ...args], {
    ...{ cwd: place.project, env: place.env, encoding: 'utf8' },
  });
  return { status, stdout, stderr };
}

const DATABASE = `import('better-sqlite3')
  .then(({ default: Database }) => console.log(new Database(':memory:').prepare('SELECT 7').pluck().get()))
  .catch(({ message }) => console.log(message))`;
const SESSION = `import('onnxruntime-node')
  .then(({ InferenceSession }) => InferenceSession.create('model.onnx'))
  .catch(({ message }) => console.log(message))`;

/** The output of a program that sees the packages which pelorus brings along. */
function within({ project, env }: EmptyPlace, program: string): string {
  const cwd = join(project, 'node_modules', 'pelorus');
  return execFileSync(NODE, ['-e', program], { cwd, env, encoding: 'utf8' });
}

/** Serves from what is installed, without a hub to fetch from, until `ask` has got hits from the address. */
async function serveUntilFound(
  place: EmptyPlace,
  flags: string[],
  ask: (post: (path: string, body: object) => Promise<any>) => Promise<{ hits?: { title: string }[] }>,
): Promise<string[]> {
  const port = await freePort();
  const [command = '', ...args] = place.command;
  const all = ['serve', '--port', `${port}`, '--data', join(place.folder, 'data'), '--hub', 'none', ...flags];
  const server = startProcess(command, [...args, ...all], { cwd: place.project, env: place.env, stdio: 'pipe' });
  let said = '';
  for (const stream of [server.stdout, server.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
  }
  const ended = new Promise((resolve) => server.once('exit', resolve));
  const post = async (path: string, body: object): Promise<any> => {
    const headers = { 'content-type': 'application/json' };
    const signal = AbortSignal.timeout(REQUEST_MS);
    const request = { method: 'POST', headers, body: JSON.stringify(body), signal };
    return (await fetch(`http://127.0.0.1:${port}${path}`, request)).json();
  };
  try {
    const found = async () => {
      const { hits = [] } = await ask(post);
      return hits.length > 0 && hits.map(({ title }) => title);
    };
    return (await firstSuccess(found, ended, { pauseMs: 50 })) || [];
  } catch (error) {
    throw new Error(`the server said: ${said}`, { cause: error });
  } finally {
    server.kill('SIGKILL');
    await ended;
  }
}

/** A search by meaning in the sample catalogue: the model has to be there. */
const askTheCatalogue = (post: (path: string, body: object) => Promise<any>) =>
  post('/indexes/products/search', { q: 'something to sit on', limit: 1 });

describe('the packages of a release', () => {
  test('are shown with every file and its size', () => {
    for (const file of [
      'pelorus.node',
      'THIRD-PARTY-NOTICES.txt',
      'sbom.cdx.json',
      'node_modules/fastify/LICENSE',
      'node_modules/@pelorus/console/dist/site/index.html',
    ]) {
      expect(shown).toMatch(new RegExp(`^ +\\d+ {2}${file}$`, 'm'));
    }
    expect(shown).toMatch(/^@pelorus\/client \d+\.\d+\.\d+\n( +\d+ {2}\S+\n)* +\d+ {2}dist\/search\.js$/m);
    expect(shown).toMatch(/^for \S+, without the model: [\d.]+ MB to download, [\d.]+ MB on disk$/m);
  });

  test('serve and search where there is Node and nothing else, without a network', async () => {
    expect(run(whole, '--version').stdout.trim()).toMatch(/^\d+\.\d+\.\d+$/);
    expect(readdirSync(join(whole.project, 'node_modules', '.bin')).map((file) => parse(file).name)).toContain(
      'pelorus',
    );
    expect(await serveUntilFound(whole, ['--demo'], askTheCatalogue)).toHaveLength(1);
    // The model was used where it lies, and none was fetched.
    expect(globSync('**/model.onnx', { cwd: join(whole.folder, 'home') })).toEqual([]);
  });

  test('serve and search without ONNX Runtime, which the command of the page leaves out', async () => {
    const place = emptyPlace();
    const registry = await LoopbackRegistry.start(tarballs);
    try {
      const shown = blocks('docs/install.md', 'text').find((block) => block.includes('--omit=optional')) ?? '';
      const words = shown.trim().replace('linux-x64-gnu', platformName()).split(' ').slice(1);
      const [, args] = npm([...words, '--no-audit', '--no-fund', '--loglevel=error', '--registry', registry.url]);
      const [command, all] = args[0]?.endsWith('.js') ? [NODE, args] : ['npm', args];
      await promisify(execFile)(command, all, { cwd: place.project, env: place.env });
    } finally {
      await registry.close();
    }
    const names = ['pelorus', `@pelorus/node-${platformName()}`, '@pelorus/model-all-minilm-l6-v2'];
    expect(registry.fetched.toSorted()).toEqual(names.toSorted());

    const doctor = JSON.parse(run(place, 'doctor', '--json', '--port', '0').stdout);
    expect(doctor.findings.find(({ subject }: { subject: string }) => subject === 'encoder')).toMatchObject({
      verdict: 'ok',
      found: expect.stringMatching(/^Pelorus in f32 .+ONNX Runtime, which is not installed, for other models$/),
    });

    // A graph that the encoder does not know.
    const house = join(place.folder, 'house');
    mkdirSync(house);
    writeFileSync(join(house, 'model.onnx'), encoder());
    writeFileSync(join(house, 'tokenizer.json'), wordTokenizer());
    const models = join(place.folder, 'models.json');
    writeFileSync(models, JSON.stringify({ models: { house: { folder: house, properties: { dimensions: 8 } } } }));
    let refusal: unknown;
    const found = await serveUntilFound(place, ['--demo', '--models', models], async (post) => {
      await post('/indexes/other', { model: 'house' });
      const body = { documents: [{ _id: '1', t: 'w1' }], tensorFields: ['t'] };
      refusal = (await post('/indexes/other/documents', body)).message;
      return askTheCatalogue(post);
    });
    expect(found).toHaveLength(1);
    const needed = `the package @pelorus/onnxruntime-${platformName()} is not installed. Install it in the version of pelorus`;
    expect(refusal).toContain(needed);
  });

  test('have what an agent needs, and what reads a table', () => {
    const request = (id: number, method: string, params: object): string =>
      `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
    const begin = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const [command = '', ...args] = whole.command;
    // The answer to the first line comes before the end of the input is noticed.
    const { status, stdout, stderr } = spawnSync(command, [...args, 'mcp'], {
      ...{ cwd: whole.project, env: whole.env, encoding: 'utf8', input: request(1, 'initialize', begin) },
    });
    expect(status, stderr).toBe(0);
    expect(JSON.parse(stdout).result.serverInfo).toMatchObject({ name: 'pelorus' });
    writeFileSync(join(whole.project, 'table.csv'), 'name,text\nLamp,A warm light\n');
    expect(run(whole, 'import', 'table.csv', '--dry-run').stdout).toContain('"text":"A warm light"');
  });

  test('have each their licences and bill of materials, and nothing that is for makers alone', () => {
    const installed = join(whole.project, 'node_modules');
    const names = ['pelorus', ...readdirSync(join(installed, '@pelorus')).map((name) => `@pelorus/${name}`)];
    for (const name of names) {
      const folder = join(installed, name);
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      expect(manifest, name).toMatchObject({
        version: JSON.parse(readFileSync(fromRoot('package.json'), 'utf8')).version,
      });
      expect(manifest.engines, name).toEqual({ node: 'os' in manifest ? '>=20' : '>=22.19' });
      expect(manifest.scripts, name).toBeUndefined();
      for (const file of ['LICENSE', 'README.md', 'THIRD-PARTY-NOTICES.txt']) {
        expect(existsSync(join(folder, file)), `${name} ${file}`).toBe(true);
      }
      expect(JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8')).metadata.component.name).toBe(name);
    }
    expect(globSync('**/*.{map,tsbuildinfo}', { cwd: installed })).toEqual([]);
    const scripts = globSync('**/package.json', { cwd: installed }).filter((file) => {
      const { scripts } = JSON.parse(readFileSync(join(installed, file), 'utf8'));
      return Object.keys(scripts ?? {}).some((name) => /^(pre|post)?install$/.test(name));
    });
    expect(scripts).toEqual([]);
  });

  test.runIf(platformName() === `linux-${process.arch}-gnu`)('are installed by the command of the container', () => {
    const place = emptyPlace();
    const recipe = new ContainerRecipe();
    execFileSync('sh', ['-c', recipe.installFrom(PACKED)], { cwd: place.project, env: place.env, stdio: 'pipe' });
    const installed = ({ project }: EmptyPlace) => readdirSync(join(project, 'node_modules', '@pelorus'));
    // These are for programs and pages elsewhere.
    expect(installed(place)).toEqual(installed(whole).filter((name) => !STANDALONE.includes(name)));
    const [, command = ''] = recipe.start;
    expect(existsSync(command.replace('/opt/pelorus', place.project)), command).toBe(true);
  });

  test('run the databases of events with the code of this platform', () => {
    expect(within(whole, DATABASE)).toBe('7\n');
  });

  const oldest = oldestNode();
  if (oldest === null) console.warn('No Node 22 could be had: the packages are not tried on it.');

  test.skipIf(oldest === null)('serve and search on the oldest Node that they name', async () => {
    const place = emptyPlace(oldest ?? '');
    place.install(tarballs.filter((file) => !file.includes('pelorus-model-')));
    const found = await serveUntilFound(place, [], async (post) => {
      await post('/indexes/notes', { model: 'random/small' });
      await post('/indexes/notes/documents', {
        documents: [{ _id: '1', title: 'Sourdough' }],
        tensorFields: ['title'],
      });
      return post('/indexes/notes/search', { q: 'sourdough', searchMethod: 'HYBRID' });
    });
    expect(found).toEqual(['Sourdough']);
    // CommonJS takes the client as well.
    const name = "require('@pelorus/client').Pelorus.name";
    const told = execFileSync(oldest ?? '', ['-p', name], { cwd: place.project, env: place.env, encoding: 'utf8' });
    expect(told).toBe('Pelorus\n');
  });

  /** The words of the compiler about a program that uses what is installed. */
  function checked(name: string, program: string): string {
    writeFileSync(join(whole.project, name), program);
    const tsc = [fromRoot('node_modules', 'typescript', 'bin', 'tsc'), '--noEmit', '--strict'];
    const target = ['--module', 'nodenext', '--target', 'es2024', '--types', 'node'];
    const roots = ['--typeRoots', fromRoot('node_modules', '@types')];
    const args = [...tsc, ...target, ...roots, name];
    return spawnSync(NODE, args, { cwd: whole.project, env: whole.env, encoding: 'utf8' }).stdout;
  }

  test.each([
    ['the library', 'docs/library.md'],
    ['the client', 'docs/client.md'],
    ['the client', 'README.md'],
  ])('hold %s, with types that %s keeps to', (_title, page) => {
    const [program = ''] = blocks(page, 'ts');
    const name = page.replace(/\W/g, '-');
    const wrong = program.replace(/^(const \{ hits \} = await \w+\.search)\(.*\);$/m, '$1({ searchMethod: "GUESS" });');
    expect(checked(`${name}.mts`, program)).toBe('');
    expect(checked(`${name}-wrong.mts`, wrong)).toContain('"GUESS"');
  });

  test('hold a library that runs as its page shows it', () => {
    const [program = ''] = blocks('docs/library.md', 'ts');
    writeFileSync(join(whole.project, 'program.mts'), program);
    const { stdout, stderr } = spawnSync(NODE, ['program.mts'], {
      ...{ cwd: whole.project, env: whole.env, encoding: 'utf8' },
    });
    expect(stdout, stderr).toBe('Bread and Salt\n');
  });

  test('are refused by npm where a download was cut', () => {
    const place = emptyPlace();
    const [tarball = ''] = tarballs.filter((file) => file.includes('pelorus-sqlite-'));
    const half = join(place.folder, basename(tarball));
    copyFileSync(tarball, half);
    truncateSync(half, Math.floor(statSync(tarball).size / 2));
    expect(() => place.install([half])).toThrow('npm could not install the packages');
    expect(existsSync(join(place.project, 'node_modules', '@pelorus'))).toBe(false);
  });

  test('tell in one line what is missing of them', () => {
    const place = emptyPlace();
    place.install(tarballs.filter((file) => !/pelorus-(model|onnxruntime|sqlite)-/.test(file)));
    const engine = join(place.project, 'node_modules', '@pelorus', engineFolder(place));
    const serve = ['serve', '--port', '0', '--data', join(place.folder, 'data')];

    expect(within(place, DATABASE)).toMatch(/^no SQLite for .+Install it/);
    expect(within(place, SESSION)).toMatch(/^no ONNX Runtime for .+Install it in the version of pelorus/);

    truncateSync(join(engine, 'pelorus.node'), 32);
    const half = run(place, ...serve);
    expect(half).toMatchObject({ status: 8, stdout: '' });
    expect(half.stderr).toMatch(/^pelorus: the native engine @pelorus\/node-\S+ does not load here: .+\n$/);

    renameSync(engine, `${engine}.gone`);
    const without = run(place, ...serve);
    expect(without).toMatchObject({ status: 8, stdout: '' });
    expect(without.stderr).toMatch(/^pelorus: no native engine for \S+ \S+: .+Install that package.+\n$/);
  });
});

function engineFolder(place: EmptyPlace): string {
  const names = readdirSync(join(place.project, 'node_modules', '@pelorus'));
  const [engine = '', ...more] = names.filter((name) => name.startsWith('node-'));
  expect([engine, ...more]).toEqual([expect.stringMatching(/^node-/)]);
  return engine;
}
