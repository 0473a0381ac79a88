import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEngine, type StorageEngine } from '@pelorus/engine';
import { createInference, type InferenceConfig } from '@pelorus/inference';
import type { KeyStore } from '@pelorus/keys';
import type { FastifyInstance } from 'fastify';
import type { Access } from '../../src/auth/access.js';
import { openKeys } from '../../src/auth/open-keys.js';
import { Backups, openDestination } from '../../src/backups/index.js';
import { type Config, readConfig } from '../../src/config.js';
import { engineOptions } from '../../src/engine-options.js';
import { createServer } from '../../src/server.js';
import { openTracing } from '../../src/tracing/tracing.js';
import { ResponseCheck } from './response-check.js';

/** A server with everything behind it that a user's has, on a data directory of its own. */
export interface Service {
  readonly app: FastifyInstance;
  readonly engine: StorageEngine;
  readonly keys: KeyStore;
  readonly responses: ResponseCheck;
  close(): Promise<void>;
}

export interface Surroundings {
  /** Stands between the server and its engine, if anything does. */
  readonly inFrontOf?: (engine: StorageEngine) => StorageEngine;
  /** Models of the operator's. */
  readonly modelFile?: InferenceConfig['modelFile'];
  /** The program that reads films and sounds. Default none. */
  readonly ffmpegCommand?: string;
  /** Decides who is let in; when absent, those who have one of the keys are. */
  readonly access?: Access;
  /** The place of backups, null for none; a folder of the service when absent. */
  readonly backupTo?: string | null;
}

export async function openService(
  env: Record<string, string> = {},
  { inFrontOf = (engine) => engine, modelFile = new Map(), ffmpegCommand, access, backupTo }: Surroundings = {},
): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'pelorus-server-'));
  const config = readConfig({ PELORUS_DATA_DIR: folder, MARQO_LOG_LEVEL: 'silent', ...env });
  const [engine, closeEngine] = await openEngine(folder, config);
  const inference = createInference({
    modelDir: join(folder, 'models'),
    modelFile,
    hubUrl: null,
    mavenCommand: null,
    ffmpegCommand: ffmpegCommand ?? null,
    mediaNetworks: config.mediaNetworks ?? [],
    allowedNetworks: config.modelNetworks ?? [],
    encoder: config.encoder,
    threads: 1,
  });
  const responses = new ResponseCheck();
  const keys = await openKeys(config, env);
  const tracing = await openTracing(config, { warn: () => undefined });
  const place = await openDestination(backupTo ?? join(folder, 'backups'), { endpoint: '', region: '' });
  const backups = isOnCluster || backupTo === null ? {} : { backups: new Backups(place) };
  const app = createServer({
    ...{ engine: inFrontOf(engine), inference, keys, config, tracing },
    ...{ ...backups, ...(access && { access }) },
  });
  app.addHook('onSend', responses.hook);
  const close = async () => {
    await app.close();
    await inference.close();
    await closeEngine();
    await keys.close();
    await rm(folder, { recursive: true });
  };
  return { app, engine, keys, responses, close };
}

/** The cluster that services of this run have their indexes on, if any: an embedded engine is a data directory's. */
const NODES =
  process.env.PELORUS_TEST_ENGINE === 'opensearch' ? process.env.PELORUS_TEST_OPENSEARCH?.split(',') : undefined;

export const isOnCluster = NODES !== undefined;

/** An engine of its own, and its end with all it holds. */
async function openEngine(folder: string, config: Config): Promise<[StorageEngine, () => Promise<void>]> {
  if (NODES === undefined) {
    const embedded = await EmbeddedEngine.open(folder, engineOptions(config));
    return [embedded, () => embedded.close()];
  }
  const { OpenSearchEngine } = await import('@pelorus/opensearch');
  const prefix = `t${randomBytes(6).toString('hex')}`;
  const engine = await OpenSearchEngine.open({ nodes: NODES, prefix, replicas: 0, limits: engineOptions(config) });
  const close = async () => {
    await engine.close();
    await fetch(`${NODES[0]}/${prefix}-*,${prefix}.*`, { method: 'DELETE' });
  };
  return [engine, close];
}
