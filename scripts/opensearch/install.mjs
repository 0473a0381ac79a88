import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { mustRun, output } from '../command.mjs';
import { SetupFailure } from '../failure.mjs';
import { fromRoot } from '../paths.mjs';
import { closedTo } from '../processes/nobody.mjs';
import { javaHome } from './java.mjs';

/** The server. Its module for vectors is of the same release; Maven Central has few pairs. */
export const VERSION = '3.5.0';
const ARTIFACTS = {
  server: `org.opensearch.distribution.integ-test-zip:opensearch:${VERSION}:zip`,
  knn: `org.opensearch.plugin:opensearch-knn:${VERSION}.0:zip`,
};
/** The oldest Java that runs it. */
const JAVA = 21;

const NO_JAVA = `OpenSearch needs Java ${JAVA} or later, and there is none`;

/** Its folder. Nothing is written there once it is whole. */
export const HOME = fromRoot('target', 'opensearch', `opensearch-${VERSION}`);

const isInstalled = () => existsSync(HOME);

/** The home of a Java that runs it. @throws SetupFailure where there is none */
export function requireJava() {
  const home = javaHome(JAVA);
  if (home === null) throw new SetupFailure(`${NO_JAVA}.`);
  return home;
}

/** Tells why no node runs here; null where one does. */
export function missing() {
  if (javaHome(JAVA) === null) return NO_JAVA;
  if (!isInstalled()) return 'OpenSearch is not here; `npm run opensearch -- install` fetches it';
  const closed = closedTo(HOME);
  return closed === null ? null : `OpenSearch does not run as root, and ${closed} lets nobody else in`;
}

/**
 * Brings server and module into one folder, once: some 200 MB of Maven Central.
 *
 * @param {(line: string) => void} say
 * @throws SetupFailure where there is no Java, no Maven, or no artifact
 */
export async function installOpenSearch(say) {
  if (isInstalled()) return;
  requireJava();
  if (output('mvn', ['--version']) === null)
    throw new SetupFailure('OpenSearch is fetched by Maven, and there is none.');
  say(`fetching OpenSearch ${VERSION}`);
  const incoming = `${HOME}.${process.pid}`;
  rmSync(incoming, { recursive: true, force: true });
  try {
    mkdirSync(incoming, { recursive: true });
    const unpacked = join(incoming, `opensearch-${VERSION}`);
    await unpack(ARTIFACTS.server, incoming, incoming);
    await unpack(ARTIFACTS.knn, join(unpacked, 'plugins', 'opensearch-knn'), incoming);
    for (const name of readdirSync(join(unpacked, 'bin'))) chmodSync(join(unpacked, 'bin', name), 0o755);
    // Last: its presence means a whole one. Another run may have been faster.
    if (!isInstalled()) renameSync(unpacked, HOME);
  } finally {
    rmSync(incoming, { recursive: true, force: true });
  }
}

/** Maven leaves notes of its own where it runs. */
const unpack = (artifact, folder, cwd) =>
  mustRun('mvn', ['-q', '-B', 'dependency:unpack', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`], { cwd });
