import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEngine, type StorageEngine } from '@pelorus/engine';
import { createInference, type InferenceConfig } from '@pelorus/inference';
import type { KeyStore } from '@pelorus/keys';
import type { FastifyInstance } from 'fastify';
import type { Access } from '../../src/auth/access.js';
import { openKeys } from '../../src/auth/open-keys.js';
import { readConfig } from '../../src/config.js';
import { engineOptions } from '../../src/engine-options.js';
import { createServer } from '../../src/server.js';
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
}

export async function openService(
  env: Record<string, string> = {},
  { inFrontOf = (engine) => engine, modelFile = new Map(), ffmpegCommand, access }: Surroundings = {},
): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'pelorus-server-'));
  const config = readConfig({ PELORUS_DATA_DIR: folder, MARQO_LOG_LEVEL: 'silent', ...env });
  const engine = await EmbeddedEngine.open(folder, engineOptions(config));
  const inference = createInference({
    modelDir: join(folder, 'models'),
    modelFile,
    hubUrl: null,
    mavenCommand: null,
    ffmpegCommand: ffmpegCommand ?? null,
    mediaNetworks: config.mediaNetworks ?? [],
    encoder: config.encoder,
    threads: 1,
  });
  const responses = new ResponseCheck();
  const keys = await openKeys(config, env);
  const app = createServer({ engine: inFrontOf(engine), inference, keys, config, ...(access && { access }) });
  app.addHook('onSend', responses.hook);
  const close = async () => {
    await app.close();
    await inference.close();
    await engine.close();
    await keys.close();
    await rm(folder, { recursive: true });
  };
  return { app, engine, keys, responses, close };
}
