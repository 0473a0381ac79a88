import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Operation, OperationId } from '@pelorus/contract';
import { type ChatModel, type ShopperFigures, Shops } from '@pelorus/ecommerce';
import { Inventory } from '@pelorus/files';
import type { HostedIndexes } from '@pelorus/hosted';
import { createInference } from '@pelorus/inference';
import type { FastifyInstance } from 'fastify';
import { picture } from '../../../inference/test/media/pictures.js';
import { createApp, operationsOf } from '../../src/app.js';
import type { Access } from '../../src/auth/access.js';
import { bindOperations } from '../../src/binder.js';
import { readConfig } from '../../src/config.js';
import { ecommerceHandlers } from '../../src/ecommerce/ecommerce-handlers.js';
import { ChangeQuota } from '../../src/hosted/change-quota.js';
import { recordOf } from '../../src/hosted/index-records.js';
import { SearchCounts } from '../../src/hosted/search-counts.js';
import { Admission } from '../../src/http/admission.js';
import { definitionOf } from '../../src/indexes/creation.js';
import { readSettings } from '../../src/indexes/requested-settings.js';
import { Memory } from '../../src/services/memory.js';
import { PictureServer } from '../media/picture-server.js';
import { ResponseCheck } from '../operations/response-check.js';
import { openService } from '../operations/service.js';
import { InProcessIndexes } from './in-process-indexes.js';

type OperationOf<Id extends OperationId> = Operation & { readonly operationId: Id };

export interface ShopService {
  readonly app: FastifyInstance;
  readonly shops: Shops;
  readonly responses: ResponseCheck;
  /** The indexes of the shops, as their own interface has them. */
  readonly indexes: HostedIndexes;
  /** URL of a picture that can be fetched. */
  readonly picture: string;
  /** Names of indexes that do not answer for now. */
  readonly starting: Set<string>;
  /** Reports of files that cannot be used. */
  readonly told: readonly object[];
  /** Reads the kept data of shops again, as after a restart. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

export interface ShopSurroundings {
  /** Settings of the gateway, which are those of the indexes too. */
  readonly env?: Record<string, string>;
  readonly figures?: ShopperFigures;
  readonly access?: Access;
  readonly chat?: ChatModel;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** The faults of the background; none may occur when absent. */
  readonly faults?: string[];
}

/** The operations of shops over real indexes. */
export async function openShops({
  env = {},
  figures,
  access = { admit: () => undefined },
  chat,
  now,
  faults,
}: ShopSurroundings = {}): Promise<ShopService> {
  const pictures = await PictureServer.open({ '/red.png': picture(1) });
  const search = await openService({ MARQO_MEDIA_DOWNLOAD_ALLOWED_NETWORKS: '127.0.0.0/8', ...env });
  const folder = await mkdtemp(join(tmpdir(), 'pelorus-shops-'));
  const settings = { PELORUS_DATA_DIR: folder, MARQO_LOG_LEVEL: 'silent', PELORUS_SHOP_MODEL: 'random/small' };
  const config = readConfig({ ...settings, PELORUS_INDEX_CHANGES_PER_MINUTE: '1000', ...env });
  const inference = createInference({
    modelDir: join(folder, 'models'),
    modelFile: new Map(),
    hubUrl: null,
    mavenCommand: null,
    mediaNetworks: [],
    threads: 1,
  });
  const hosted = new InProcessIndexes(search.app, join(folder, 'indexes'));
  const responses = new ResponseCheck();

  const told: object[] = [];

  const open = async () => {
    const shops = await Shops.open({
      hosted,
      limits: {
        limitMax: config.searchLimitMax,
        offsetMax: config.searchOffsetMax,
        contextDocumentsMax: config.contextDocumentsMax,
      },
      inventory: await Inventory.open(join(folder, 'inventory.json'), () => undefined),
      folder: join(folder, 'ecommerce'),
      refreshMs: 1_000_000,
      ...(figures !== undefined && { figures }),
      ...(chat !== undefined && { chat }),
      ...(now !== undefined && { now }),
      tell: (fields, text) => told.push({ ...fields, text }),
      report: (error) => {
        if (faults === undefined) throw error;
        faults.push(error.message);
      },
    });
    const app = createApp('hosted', config);
    app.addHook('onSend', responses.hook);
    const searches = new SearchCounts();
    const record: Parameters<typeof ecommerceHandlers>[0]['record'] = async (index, base) =>
      recordOf({
        index,
        settings: definitionOf({ inference }, index.name, readSettings(structuredClone(index.settings))).settings,
        ...{
          counts: null,
          searches: searches.of(index.id),
          endpoint: `${base}/e/${index.id}`,
          interfaceVersion: '2.26.0',
          numbers: 'string',
        },
      });
    const changes = new ChangeQuota(config.indexChangesPerMinute);
    const handlers = ecommerceHandlers({ shops, inference, config, record, changes, searches });
    const isShops = (id: string): id is keyof typeof handlers => Object.hasOwn(handlers, id);
    const served = operationsOf('hosted').filter(({ operationId }) => isShops(operationId));
    bindOperations(app, served as readonly OperationOf<keyof typeof handlers>[], handlers, {
      access,
      admission: new Admission(config, new Memory(config.maxMemory)),
      publicUrl: '',
      preparations: {},
      vectorExtractors: {},
      deviceNamed: (name) => inference.device(name),
    });
    return { app, shops };
  };

  let { app, shops } = await open();
  const end = async () => {
    await app.close();
    await shops.close();
  };
  return {
    responses,
    indexes: hosted,
    picture: pictures.at('/red.png'),
    starting: hosted.starting,
    told,
    get app() {
      return app;
    },
    get shops() {
      return shops;
    },
    async reopen() {
      await end();
      ({ app, shops } = await open());
    },
    async close() {
      await end();
      await inference.close();
      await search.close();
      await pictures.close();
      await rm(folder, { recursive: true });
    },
  };
}
