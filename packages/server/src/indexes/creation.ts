import { echoed, invalidArgument, PelorusError, schemas, truncated } from '@pelorus/contract';
import { isEngineError, requireNoAlias, type StoredDefinition } from '@pelorus/engine';
import type { Services } from '../call.js';
import { fieldModelsOf } from './field-models.js';
import { checkIndexName } from './names.js';
import { type Settings, settingsOf } from './settings.js';

/** The dimensions of the longest vector that an index may hold: a client's own may be as long. */
const DIMENSIONS_MAX = schemas.Vector.maxItems;
/** The dimensions of vectors that are places on the globe: latitude and longitude. */
const GEODEGREES_DIMENSIONS = 2;

export async function createIndex(services: Services, name: string, settings: schemas.IndexSettings): Promise<void> {
  const definition = definitionOf(services, name, settings);
  await services.indexChanges.run(async () => {
    await checkRoom(services, [name]);
    await services.engine.createIndex(name, definition);
  });
}

/** As {@link createIndex}, where there is none of that name; another request may make it meanwhile. */
export async function createIndexIfMissing(
  services: Services,
  name: string,
  settings: schemas.IndexSettings,
): Promise<void> {
  if ((await services.engine.listIndexes()).includes(name)) return;
  try {
    await createIndex(services, name, settings);
  } catch (error) {
    const exists = error instanceof PelorusError ? error.code : isEngineError(error) ? error.code : '';
    if (exists !== 'index_already_exists') throw error;
  }
}

/** The rules in the order their breaches are reported: settings, name, model. */
export function definitionOf(
  { inference }: Pick<Services, 'inference'>,
  name: string,
  body: schemas.IndexSettings,
): StoredDefinition {
  const settings = settingsOf(body);
  checkIndexName(name);
  const model = inference.resolve(settings.model, propertiesOf(body));
  checkNormalising(settings, body);
  if (model.dimensions > DIMENSIONS_MAX) {
    throw invalidArgument(`The model has ${model.dimensions} dimensions, more than the limit of ${DIMENSIONS_MAX}`);
  }
  if (settings.annParameters.spaceType === 'geodegrees' && model.dimensions !== GEODEGREES_DIMENSIONS) {
    throw invalidArgument(
      `spaceType geodegrees needs a model of ${GEODEGREES_DIMENSIONS} dimensions, but ${settings.model} has ${model.dimensions}`,
    );
  }
  const fieldModels = fieldModelsOf(inference, body);
  return {
    settings: {
      ...settings,
      ...(model.properties !== null && { modelProperties: model.properties }),
      ...(fieldModels !== undefined && { fieldModels }),
    },
    resolved: {
      dimensions: model.dimensions,
      textQueryPrefix: body.textQueryPrefix ?? model.textQueryPrefix ?? '',
      textChunkPrefix: body.textChunkPrefix ?? model.textChunkPrefix ?? '',
      embeds: model.embeds,
      chunksEveryScript: true,
      createdAt: new Date().toISOString(),
      modelKey: model.key,
    },
  };
}

/** @throws PelorusError `invalid_argument` for vectors that are wanted as long as they are, of graphs that normalise */
export function checkNormalising(
  { model, normalizeEmbeddings }: Pick<Settings, 'model' | 'normalizeEmbeddings'>,
  { modelProperties }: Pick<schemas.IndexSettings, 'modelProperties'>,
): void {
  const { outputNormalised }: { readonly outputNormalised?: unknown } = modelProperties ?? {};
  if (normalizeEmbeddings || outputNormalised !== true) return;
  throw invalidArgument(
    'normalizeEmbeddings must be true where modelProperties.outputNormalised is, since the vectors of ' +
      `${truncated(model)} have unit length, received ${echoed(normalizeEmbeddings)}`,
  );
}

/** An empty object says as little as none. */
function propertiesOf({ modelProperties }: schemas.IndexSettings): object | undefined {
  return modelProperties != null && Object.keys(modelProperties).length > 0 ? modelProperties : undefined;
}

/** Checks that indexes of these names can be added to those that are there. */
export async function checkRoom(
  { engine, config }: Pick<Services, 'engine' | 'config'>,
  wanted: readonly string[],
): Promise<void> {
  const names = new Set(await engine.listIndexes());
  for (const name of wanted) {
    if (engine.aliases !== undefined) requireNoAlias(engine.aliases.now(), name);
    if (names.has(name)) throw new PelorusError('index_already_exists', `Index ${name} already exists`);
    if (names.size >= config.indexesMax) {
      throw new PelorusError(
        'bad_request',
        `This service has ${names.size} indexes, which is its limit (PELORUS_MAX_INDEXES)`,
      );
    }
    names.add(name);
  }
}
