import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, readdir, stat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Config } from '@pelorus/server/config';
import { callerOf } from '../api.js';
import { requireFreePort } from '../serve/free-port.js';
import type { AnswerBounds } from '../server-call.js';
import { STARTER_MODEL } from '../starter-model.js';
import { bytesText, counted } from '../terminal/units.js';
import { advice, type Finding, fault, ok } from './finding.js';

const run = promisify(execFile);

/** Room in which a small index grows without a thought. */
const FREE_BYTES_MIN = 2 * 10 ** 9;
const FFMPEG_TIMEOUT_MS = 10_000;
/** A server of ours greets in a few milliseconds, in less than a hundred bytes. */
const GREETING_BOUNDS: AnswerBounds = { bytesMax: 64 * 1024, headersMs: 3000, stallMs: 3000 };

export function nodeFinding(): Finding {
  return ok('Node', process.versions.node);
}

/** The room on the disk of the data directory, or of the folder that it will be made in. */
export async function diskFinding({ dataDir }: Pick<Config, 'dataDir'>): Promise<Finding> {
  const { bavail, blocks, bsize } = await statfs(await nearestFolder(resolve(dataDir)));
  const free = bavail * bsize;
  const found = `${bytesText(free)} free of ${bytesText(blocks * bsize)}`;
  if (free >= FREE_BYTES_MIN) return ok('disk', found);
  return advice(
    'disk',
    found,
    'writes are refused before the disk is full: make room, or name another folder with --data',
  );
}

export async function dataFinding({ dataDir, engine }: Pick<Config, 'dataDir' | 'engine'>): Promise<Finding> {
  const folder = resolve(dataDir);
  const there = await stat(folder).catch(() => null);
  const place = there === null ? await nearestFolder(folder) : folder;
  if (there !== null && !there.isDirectory()) {
    return fault('data', `${folder} is a file`, 'name a folder with --data');
  }
  try {
    await access(place, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return fault(
      'data',
      `${place} may not be read or written by this user`,
      'give it to this user, or name another with --data',
    );
  }
  if (there === null) return ok('data', `${folder}, which the first start makes`);
  if (engine === 'opensearch') return ok('data', `${folder} with the keys`);
  const indexes = await readdir(resolve(folder, 'indexes')).catch(() => []);
  return ok('data', `${folder} with ${counted(indexes.length, 'index', 'indexes')}`);
}

/** The cluster that has the indexes. */
export async function clusterFinding(config: Config): Promise<Finding> {
  const { clusterText, examinedCluster } = await import('../serve/cluster.js');
  try {
    const { engine, facts } = await examinedCluster(config);
    await engine.close();
    const text = clusterText(facts, config);
    if (facts.status === 'red') return advice('cluster', text, 'parts of it are on no node: start those that are away');
    return ok('cluster', text);
  } catch (error) {
    return fault('cluster', (error as Error).message, 'mend the cluster, or the settings that name it');
  }
}

/** Tells whether the port is free, or whose it is. */
export async function portFinding(
  { host, port }: Pick<Config, 'host' | 'port'>,
  bounds = GREETING_BOUNDS,
): Promise<Finding> {
  try {
    await requireFreePort(host, port);
    return ok('port', `${port} on ${host} is free`);
  } catch (error) {
    const greeting = await greetingAt(`http://${host.includes(':') ? `[${host}]` : host}:${port}`, bounds);
    if (greeting !== null) return ok('port', `Pelorus ${greeting} answers at port ${port} on ${host}`);
    return fault('port', (error as Error).message, 'end the program that has it, or choose another with --port');
  }
}

/** The version of the server of ours that answers at an address; null where none does. */
async function greetingAt(address: string, bounds: AnswerBounds): Promise<string | null> {
  const answer = await callerOf(address, undefined, bounds)('GET', '/').catch(() => ({}));
  const { pelorus } = answer as { pelorus?: unknown };
  return typeof pelorus === 'string' ? pelorus : null;
}

export async function modelsFinding(config: Config): Promise<Finding> {
  try {
    const { localModels } = await import('@pelorus/inference');
    const { inferenceConfig } = await import('../inference-config.js');
    const models = await localModels(inferenceConfig(config));
    const count = new Set(models.flatMap(({ folder }) => folder ?? [])).size;
    const found = `${counted(count, 'model')} here`;
    if (models.some(({ name }) => name === STARTER_MODEL)) return ok('models', `${found}, ${STARTER_MODEL} among them`);
    const remedy = `\`pelorus models pull ${STARTER_MODEL}\` fetches the one of this guide ahead of its first use`;
    return advice('models', `${found}, ${STARTER_MODEL} is not among them`, remedy);
  } catch (error) {
    return fault('models', (error as Error).message, 'mend the file given with --models, or the engine');
  }
}

export async function ffmpegFinding({ ffmpeg }: Pick<Config, 'ffmpeg'>): Promise<Finding> {
  if (ffmpeg === 'none') return ok('ffmpeg', 'none, as --ffmpeg says: films and sounds are refused');
  try {
    const { stdout } = await run(ffmpeg, ['-version'], { timeout: FFMPEG_TIMEOUT_MS });
    return ok('ffmpeg', stdout.split('\n', 1)[0] ?? ffmpeg);
  } catch {
    return advice('ffmpeg', 'not here', 'install ffmpeg 5.1 or newer for films and sounds; nothing else needs it');
  }
}

/** The folder, or the nearest one above it that is there. */
async function nearestFolder(path: string): Promise<string> {
  const isThere = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isThere || dirname(path) === path ? path : nearestFolder(dirname(path));
}
