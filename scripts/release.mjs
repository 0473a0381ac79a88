// npm run release: packs everything that is published, and publishes it. With --dry-run it stops before that and shows
// every file of every package; with --try it installs them in an empty folder and measures that. With --packed it
// publishes the tarballs of such a run, and packs nothing.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { platformName } from '../bindings/node/platform.js';
import { mustRun, npm, output } from './command.mjs';
import { runOrExplain, SetupFailure } from './failure.mjs';
import { rustSources } from './native-engine.mjs';
import { ADDON, fromRoot } from './paths.mjs';
import { duration } from './progress.mjs';
import { pathsIn } from './release/machine-paths.mjs';
import { hasOnnxRuntime, PLATFORMS } from './release/platforms.mjs';
import { unpublished, wholeRelease } from './release/publishing.mjs';
import { packageNames, requireOneVersion, STANDALONE, StagedPackages, VERSION } from './release/staged-packages.mjs';
import { contentsOf, megabytes, pack, publishedIntegrity, readTarball } from './release/tarballs.mjs';
import { tryPackages } from './release/trial.mjs';
import { setUp } from './set-up.mjs';

const HERE = platformName();
const PACKED = fromRoot('target', 'packages');
const STAGED = fromRoot('target', 'staged-packages');

await runOrExplain(async () => {
  const options = readOptions();
  requireOneVersion();
  if (options.packed) {
    await publishAll(wholeRelease(tarballsIn(options.packed), packageNames(), VERSION));
    return 0;
  }
  const addons = addonsOf(options);
  const own = addons.find(({ platform }) => platform.name === HERE);
  // Those given are of this commit, so nothing is compiled; one of a variable is of whatever sources and profile.
  const isOfSources = options.addons !== undefined || !process.env.PELORUS_NATIVE_PATH;
  if (options.addons && own) process.env.PELORUS_NATIVE_PATH = own.file;
  const repository = repositoryUrl();
  if (!options['dry-run']) requireWhole(addons, repository);
  await setUp();
  const tarballs = await packAll(addons, { repository, sources: isOfSources ? rustSources() : null });
  for (const tarball of tarballs) console.log(`${contentsOf(tarball)}\n`);
  printSums(tarballs);
  if (options.try) printTrial(await tryPackages(tarballs.filter(fitsHere)));
  if (options['dry-run']) for (const told of tellMachinePaths(tarballs)) console.warn(`warning: ${told}`);
  else await publishAll(tarballs);
  return 0;
});

function readOptions() {
  const options = {
    'dry-run': { type: 'boolean', default: false },
    try: { type: 'boolean', default: false },
    addons: { type: 'string' },
    packed: { type: 'string' },
  };
  const usage = 'usage: npm run release -- [--dry-run] [--try] [--addons FOLDER], or --packed FOLDER alone';
  try {
    const { values } = parseArgs({ options });
    if (!values.packed || (!values['dry-run'] && !values.try && !values.addons)) return values;
  } catch (error) {
    throw new SetupFailure(`${error.message}\n${usage}`);
  }
  throw new SetupFailure(usage);
}

/**
 * The add-on of each platform: the files `pelorus.PLATFORM.node` of `--addons`, or that of this clone for the platform
 * that it runs on, which set-up makes.
 */
function addonsOf({ addons }) {
  const built = process.env.PELORUS_NATIVE_PATH || ADDON;
  const fileOf = ({ name }) => (addons ? resolve(addons, `pelorus.${name}.node`) : built);
  const chosen = PLATFORMS.filter(({ name }) => (addons ? existsSync(fileOf({ name })) : name === HERE));
  if (chosen.length > 0) return chosen.map((platform) => ({ platform, file: fileOf(platform) }));
  const known = PLATFORMS.map(({ name }) => name).join(', ');
  throw new SetupFailure(
    addons
      ? `${addons} has no file pelorus.PLATFORM.node for any of ${known}.`
      : `No packages are made for ${HERE}: the platforms are ${known}.`,
  );
}

/** The URL of the sources: that of the workflow, or of the clone; null where neither tells. */
function repositoryUrl() {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = process.env;
  if (server && name) return `git+${server}/${name}.git`;
  const origin = output('git', ['remote', 'get-url', 'origin']);
  return origin?.startsWith('https://') ? `git+${origin}` : null;
}

/** Refuses to publish a part: a published package can never be replaced. */
function requireWhole(addons, repository) {
  const missing = PLATFORMS.filter((platform) => addons.every((one) => one.platform !== platform));
  if (missing.length > 0) {
    throw new SetupFailure(
      `Add-ons of all platforms are published at once; give --addons with those of ${missing.map(({ name }) => name).join(', ')} too.`,
    );
  }
  if (repository !== null) return;
  throw new SetupFailure('The URL of the repository is not known: the clone has no origin with https.');
}

/** Packs everything, those that others ask for first. */
async function packAll(addons, { repository, sources }) {
  rmSync(PACKED, { recursive: true, force: true });
  const staged = new StagedPackages(STAGED, repository);
  const folders = addons.flatMap(({ platform, file }) => [
    staged.node(platform, file, sources),
    ...(hasOnnxRuntime(platform) ? [staged.onnxRuntime(platform)] : []),
    staged.sqlite(platform),
  ]);
  folders.push(await staged.model(), ...STANDALONE.map((name) => staged.standalone(name)), staged.pelorus());
  return folders.map((folder) => pack(folder, PACKED));
}

/** Tells whether a package is for this platform, among others or alone. */
function fitsHere({ name }) {
  return PLATFORMS.every((platform) => platform.name === HERE || !name.endsWith(`-${platform.name}`));
}

function isStandalone(name) {
  return STANDALONE.some((folder) => name === `@pelorus/${folder}`);
}

function printSums(tarballs) {
  const code = tarballs
    .filter(fitsHere)
    .filter(({ name }) => !name.startsWith('@pelorus/model-') && !isStandalone(name));
  const sum = (member) => megabytes(code.reduce((total, one) => total + one[member], 0));
  console.log(`${tarballs.length} packages in ${PACKED}`);
  console.log(`for ${HERE}, without the model: ${sum('size')} to download, ${sum('unpackedSize')} on disk`);
}

function printTrial({ installMs, diskBytes, answerMs }) {
  console.log(
    `installed offline in ${duration(installMs)}, ${megabytes(diskBytes)} of blocks on disk without the model`,
  );
  console.log(`first answer ${duration(answerMs)} after the start`);
}

function tarballsIn(folder) {
  const names = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  return names.map((name) => readTarball(join(folder, name)));
}

/** Lines on the packages that hold paths of the machine on which they were built. */
function tellMachinePaths(tarballs) {
  return tarballs.flatMap(({ name, path }) => {
    const found = pathsIn(path);
    return found.length === 0 ? [] : [`${name} holds paths of the machine that built it: ${found.join(', ')}`];
  });
}

/** Publishes what the registry does not have yet. */
async function publishAll(tarballs) {
  const told = tellMachinePaths(tarballs);
  if (told.length > 0) throw new SetupFailure(told.join('\n'));
  const left = unpublished(tarballs, publishedIntegrity);
  console.log(`${tarballs.length - left.length} of ${tarballs.length} packages are published already`);
  for (const tarball of left) await publish(tarball);
}

/** Provenance is a statement of the workflow, signed by its host: npm refuses to make one anywhere else. */
function publish({ path }) {
  const [command, args] = npm(['publish', path, '--access', 'public', '--provenance', '--ignore-scripts']);
  return mustRun(command, args);
}
