import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupFailure } from '../failure.mjs';
import { checkNativeFiles } from '../native-files.mjs';
import { fromRoot, NODE_MODULES } from '../paths.mjs';
import { billOfMaterials, crateComponent, npmComponent } from './bill-of-materials.mjs';
import { packagesBehind, readLock } from './locked-packages.mjs';
import { DEFAULT_MODEL, modelFiles } from './model-files.mjs';
import { notices } from './notices.mjs';
import { copy, copyOurs, copyThirdParty, listFiles, typedPackages, writeManifest } from './package-files.mjs';
import { hasOnnxRuntime, PLATFORMS } from './platforms.mjs';
import { linkedCrates } from './rust-crates.mjs';

/** Packages whose code the files of the console contain: those that `pelorus` runs with are told apart from them. */
const BUILT_IN = ['preact'];

const NODE_MIN = '>=22.19';

/**
 * The same for machine code, which needs less. npm leaves out in silence an optional package that names a newer Node than
 * its own, and it would still be missing once its user has the newer one.
 */
const PLATFORM_NODE_MIN = '>=20';

const readJson = (...path) => JSON.parse(readFileSync(fromRoot(...path), 'utf8'));

/** The version that all packages have. */
export const VERSION = readJson('package.json').version;

const nodePackage = ({ name }) => `@pelorus/node-${name}`;
const onnxRuntimePackage = ({ name }) => `@pelorus/onnxruntime-${name}`;
const sqlitePackage = ({ name }) => `@pelorus/sqlite-${name}`;

/** Folders of the packages for programs and pages elsewhere, which need nothing else: `pelorus` brings none of them along. */
export const STANDALONE = ['client', 'instantsearch'];

/** The names of all packages, those that others ask for first. */
export const packageNames = () => [
  ...PLATFORMS.flatMap((platform) => [
    nodePackage(platform),
    ...(hasOnnxRuntime(platform) ? [onnxRuntimePackage(platform)] : []),
    sqlitePackage(platform),
  ]),
  DEFAULT_MODEL.package,
  ...STANDALONE.map((folder) => `@pelorus/${folder}`),
  'pelorus',
];

/** Lays out packages as npm is to pack them, each in a folder of its own below one that is emptied first. */
export class StagedPackages {
  #root;
  #repository;

  /**
   * @param {string} root the folder for all of them
   * @param {string | null} repository the URL of the sources, where it is known
   */
  constructor(root, repository) {
    this.#root = root;
    this.#repository = repository;
    rmSync(root, { recursive: true, force: true });
  }

  /** The package that people install: the command and the library, with all that runs on every platform. */
  pelorus() {
    const manifest = readJson('packages', 'pelorus', 'package.json');
    const behind = packagesBehind('packages/pelorus');
    const folder = join(this.#root, 'pelorus');
    const own = { folder: fromRoot('packages', 'pelorus'), manifest };
    const typed = typedPackages(own, behind);
    copyOurs(own, folder, true);
    for (const one of behind) {
      const to = join(folder, one.path);
      if (!one.isOurs) copyThirdParty(one, to);
      else {
        copyOurs(one, to, typed.has(one.name));
        writeManifest(to, ourManifest(one.manifest));
      }
    }
    const dependencies = Object.fromEntries(
      behind.filter(isTopLevel).map(({ path, name, version }) => [folderOf(path), specOf(path, name, version)]),
    );
    copyFileSync(fromRoot('README.md'), join(folder, 'README.md'));
    const builtIn = BUILT_IN.filter((name) => behind.every((one) => one.name !== name)).map(thirdParty);
    return this.#finish(folder, {
      manifest: {
        ...ourManifest(manifest),
        bin: manifest.bin,
        dependencies,
        bundleDependencies: Object.keys(dependencies),
        optionalDependencies: platformPackages(),
      },
      parts: [...behind.filter(({ isOurs }) => !isOurs).map(licensed), ...builtIn],
      components: [...behind.map(licensed), ...builtIn].map(npmComponent),
    });
  }

  /**
   * A package that needs nothing else.
   *
   * @param {string} name its folder, one of {@link STANDALONE}
   */
  standalone(name) {
    const from = fromRoot('packages', name);
    const manifest = readJson('packages', name, 'package.json');
    const folder = join(this.#root, manifest.name);
    copyOurs({ folder: from, manifest }, folder, true);
    copyFileSync(join(from, 'README.md'), join(folder, 'README.md'));
    return this.#finish(folder, { manifest: ourManifest(manifest), parts: [], components: [] });
  }

  /**
   * The native engine for one platform.
   *
   * @param {string} addon its file
   * @param {string | null} sources the fingerprint of the sources that a release build made it from, if one did: a clone of
   *   the same sources then takes it in place of building
   */
  node(platform, addon, sources) {
    const folder = join(this.#root, nodePackage(platform));
    mkdirSync(folder, { recursive: true });
    copyFileSync(addon, join(folder, 'pelorus.node'));
    chmodSync(join(folder, 'pelorus.node'), 0o644);
    const crates = linkedCrates(platform.target);
    return this.#finish(folder, {
      manifest: {
        ...platformManifest(nodePackage(platform), `The native engine of Pelorus for ${platform.name}`, platform),
        main: 'pelorus.node',
        ...(sources !== null && { pelorus: { rustSources: sources } }),
      },
      parts: crates,
      components: crates.map(crateComponent),
    });
  }

  /** ONNX Runtime for one platform: files of the locked onnxruntime-node as they are, without those of other systems. */
  onnxRuntime(platform) {
    const [os, cpu] = [platform.npm.os[0], platform.npm.cpu[0]];
    const folder = join(this.#root, onnxRuntimePackage(platform));
    const from = join(NODE_MODULES, 'onnxruntime-node');
    checkNativeFiles(from, { platform: os, arch: cpu });
    const here = `bin/napi-v6/${os}/${cpu}/`;
    // A library that a Mac finds by its short name is there a second time, in full length.
    const keeps = (path) =>
      path.startsWith(here) ? !/\.\d+\.\d+\.\d+\.dylib$/.test(path) : /^dist\/.+\.js$/.test(path);
    copy(from, folder, listFiles(from).filter(keeps));
    const common = thirdParty('onnxruntime-common');
    copyThirdParty(common, join(folder, 'node_modules', 'onnxruntime-common'));
    const runtime = thirdParty('onnxruntime-node');
    const licences = fromRoot('scripts', 'release', 'onnxruntime');
    const texts = ['LICENSE', 'ThirdPartyNotices.txt'].map((file) => readFileSync(join(licences, file), 'utf8'));
    return this.#finish(folder, {
      manifest: {
        ...platformManifest(
          onnxRuntimePackage(platform),
          `ONNX Runtime ${runtime.version} for ${platform.name}`,
          platform,
        ),
        license: runtime.license,
        main: 'dist/index.js',
        dependencies: { 'onnxruntime-common': common.version },
        bundleDependencies: ['onnxruntime-common'],
      },
      licence: join(licences, 'LICENSE'),
      parts: [
        { ...runtime, texts },
        { ...common, texts: texts.slice(0, 1) },
      ],
      components: [runtime, common].map(npmComponent),
    });
  }

  /** SQLite for one platform: files of the locked better-sqlite3 as they are, without sources and other systems' code. */
  sqlite(platform) {
    const [os, cpu] = [platform.npm.os[0], platform.npm.cpu[0]];
    const system = platform.name.endsWith('-musl') ? `${os}musl` : os;
    const folder = join(this.#root, sqlitePackage(platform));
    const database = thirdParty('better-sqlite3');
    const ofSystem = /^lib\/(darwin|linux|linuxmusl|win32)-/;
    const keeps = (path) =>
      (path.startsWith('lib/') && !ofSystem.test(path)) || path === `prebuilds/${system}-${cpu}.node`;
    copy(database.folder, folder, listFiles(database.folder).filter(keeps));
    return this.#finish(folder, {
      manifest: {
        ...platformManifest(
          sqlitePackage(platform),
          `better-sqlite3 ${database.version} for ${platform.name}`,
          platform,
        ),
        license: database.license,
        main: 'lib/index.js',
      },
      licence: join(database.folder, 'LICENSE'),
      parts: [database],
      components: [database].map(npmComponent),
    });
  }

  /** The default model, for machines that cannot fetch it. */
  async model() {
    const { folder: from, files, source } = await modelFiles();
    const folder = join(this.#root, DEFAULT_MODEL.package);
    copy(from, folder, files);
    const { name, version, license } = DEFAULT_MODEL;
    return this.#finish(folder, {
      manifest: {
        ...ourManifest({
          name: DEFAULT_MODEL.package,
          description: `The embedding model ${name} for Pelorus`,
          license,
        }),
        exports: { './package.json': './package.json' },
      },
      parts: [
        {
          name: `${name}, from ${source}`,
          version,
          license,
          folder,
          texts: [readFileSync(fromRoot('LICENSE'), 'utf8')],
        },
      ],
      components: [],
    });
  }

  /** Adds what every package has: manifest, licence, notices, bill of materials and a page. Returns the folder. */
  #finish(folder, { manifest, licence = fromRoot('LICENSE'), parts, components }) {
    const whole = {
      ...manifest,
      ...(this.#repository !== null && { repository: { type: 'git', url: this.#repository } }),
    };
    writeManifest(folder, whole);
    copyFileSync(licence, join(folder, 'LICENSE'));
    writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), notices(parts));
    writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify(billOfMaterials(whole, components), null, 2)}\n`);
    const page = join(folder, 'README.md');
    if (!existsSync(page)) writeFileSync(page, pageOf(whole));
    return folder;
  }
}

/** Every package with machine code, for npm to choose from. */
function platformPackages() {
  const names = PLATFORMS.flatMap((platform) => [
    nodePackage(platform),
    ...(hasOnnxRuntime(platform) ? [onnxRuntimePackage(platform)] : []),
    sqlitePackage(platform),
  ]);
  return Object.fromEntries(names.map((name) => [name, VERSION]));
}

function platformManifest(name, description, { npm }) {
  return { ...ourManifest({ name, description, license: 'Apache-2.0' }), engines: { node: PLATFORM_NODE_MIN }, ...npm };
}

/** The fields that a published package of ours has, in their usual order. */
function ourManifest({ name, description, keywords, license, type, sideEffects, exports, dependencies = {} }) {
  const renamed = Object.entries(dependencies).map(([key, version]) => {
    const standIn = thirdPartyStandIn(key);
    return [key, standIn ?? version];
  });
  return {
    ...{ name, version: VERSION, description, keywords, license, type, sideEffects, exports },
    engines: { node: NODE_MIN },
    ...(renamed.length > 0 && { dependencies: Object.fromEntries(renamed) }),
  };
}

const isTopLevel = ({ path }) => path.lastIndexOf('node_modules/') === 0;
const folderOf = (path) => path.slice('node_modules/'.length);

/** How a manifest asks for a package; one in the place of another is an alias. */
const specOf = (path, name, version) => (folderOf(path) === name ? version : `npm:${name}@${version}`);

function thirdPartyStandIn(name) {
  const standsIn = { 'onnxruntime-node': '@pelorus/onnxruntime', 'better-sqlite3': '@pelorus/sqlite' }[name];
  return standsIn && `npm:${standsIn}@${VERSION}`;
}

const licensed = (one) => ({ ...one, license: one.manifest.license });

function thirdParty(name) {
  const { integrity } = readLock()[`node_modules/${name}`];
  const folder = join(NODE_MODULES, name);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return { name, version: manifest.version, license: manifest.license, folder, manifest, integrity };
}

function pageOf({ name, description }) {
  return `# ${name}\n\n${description}. It is a part of [Pelorus](https://www.npmjs.com/package/pelorus), which brings it along.\n`;
}

/** @throws SetupFailure where a package of the clone has another version than the rest */
export function requireOneVersion() {
  const manifests = Object.values(readLock()).filter(({ link }) => link);
  const others = manifests
    .map(({ resolved }) => readJson(resolved, 'package.json'))
    .filter(({ version }) => version !== VERSION);
  if (others.length === 0) return;
  const told = others.map(({ name, version }) => `${name} is ${version}`).join(', ');
  throw new SetupFailure(`All packages have one version, which is ${VERSION} in package.json: ${told}.`);
}
