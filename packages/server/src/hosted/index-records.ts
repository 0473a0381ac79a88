import type { schemas } from '@pelorus/contract';
import { type HostedIndex, type IndexCounts, shortForm } from '@pelorus/hosted';

/** The type of counts in records: as clients of the interface parse them, or as numbers. */
export type RecordNumbers = 'string' | 'number';

/** The parts from which a record is written. */
export interface RecordParts {
  readonly index: HostedIndex;
  readonly settings: schemas.IndexSettingsResponse;
  /** Null where the index never said any. */
  readonly counts: IndexCounts | null;
  readonly searches: number;
  /** Address of the endpoint, without a slash at the end. */
  readonly endpoint: string;
  readonly interfaceVersion: string;
  readonly numbers: RecordNumbers;
}

type SpaceType = schemas.IndexSettingsResponse['annParameters']['spaceType'];
type PatchMethod = NonNullable<schemas.IndexSettingsResponse['imagePreprocessing']['patchMethod']>;

/** The names that clients have for distances. Others are left out: the settings of the index show its own. */
const SHOWN_SPACE_TYPES: { readonly [Type in SpaceType]?: string } = {
  'prenormalized-angular': 'prenormalized-angular',
  'prenormalized-anglar': 'prenormalized-angular',
  angular: 'angular',
  cosinesimil: 'angular',
  euclidean: 'euclidean',
  l2: 'euclidean',
  dotproduct: 'dotproduct',
  geodegrees: 'geodegrees',
  hamming: 'hamming',
};

/** The ways to cut pictures that clients have a name for. */
const SHOWN_PATCH_METHODS: ReadonlySet<PatchMethod> = new Set(['simple', 'frcnn']);

/**
 * The record of a hosted index. Clients parse what lies in `textPreprocessing`, `imagePreprocessing` and `annParameters`
 * strictly, and one record that they cannot parse makes all indexes unusable to them: no member is added there, and no
 * value shown that they have no name for.
 */
export function recordOf(parts: RecordParts): schemas.HostedIndexRecord {
  const { index, settings, counts, searches, endpoint, interfaceVersion, numbers } = parts;
  const { name, state, resources, failure, shop } = index;
  const written = numbers === 'number' ? (count: number) => count : String;
  const { model, vectorNumericType, normalizeEmbeddings } = settings;
  return {
    Created: index.createdAt,
    indexName: name,
    index_name: name,
    indexId: shop?.indexId ?? index.id,
    indexStatus: state,
    ...(failure !== null && { errorMsg: failure }),
    marqoEndpoint: endpoint,
    marqoVersion: interfaceVersion,
    storageClass: shortForm(resources.storageClass),
    inferenceType: shortForm(resources.inferenceType),
    numberOfShards: written(resources.numberOfShards),
    numberOfReplicas: written(resources.numberOfReplicas),
    numberOfInferences: written(resources.numberOfInferences),
    'docs.count': written(counts?.numberOfDocuments ?? 0),
    'docs.deleted': written(0),
    'store.size': written(counts?.memoryBytes ?? 0),
    'search.queryTotal': written(searches),
    ...{ type: settings.type, model, vectorNumericType, normalizeEmbeddings },
    ...kindMembers(settings, written),
    textPreprocessing: textPreprocessing(settings, numbers),
    imagePreprocessing: imagePreprocessing(settings),
    annParameters: annParameters(settings, numbers),
  };
}

function kindMembers(settings: schemas.IndexSettingsResponse, written: (count: number) => string | number) {
  if (settings.type === 'unstructured') {
    const { treatUrlsAndPointersAsImages = false, filterStringMaxLength } = settings;
    const length = filterStringMaxLength === undefined ? {} : { filterStringMaxLength: written(filterStringMaxLength) };
    return { treatUrlsAndPointersAsImages, ...length };
  }
  const { allFields = [], tensorFields = [] } = settings;
  const hasMap = allFields.some(({ type }) => type.startsWith('map<'));
  return { ...(!hasMap && { allFields }), tensorFields };
}

function textPreprocessing({ textPreprocessing }: schemas.IndexSettingsResponse, numbers: RecordNumbers): object {
  const { splitLength, splitMethod, splitOverlap } = textPreprocessing;
  if (numbers === 'number') return { splitLength, splitMethod, splitOverlap };
  return { split_length: String(splitLength), split_method: splitMethod, split_overlap: String(splitOverlap) };
}

function imagePreprocessing({ imagePreprocessing: { patchMethod } }: schemas.IndexSettingsResponse): object {
  return patchMethod !== undefined && SHOWN_PATCH_METHODS.has(patchMethod) ? { patchMethod } : {};
}

function annParameters({ annParameters }: schemas.IndexSettingsResponse, numbers: RecordNumbers): object {
  const { efConstruction, m } = annParameters.parameters;
  const spaceType = SHOWN_SPACE_TYPES[annParameters.spaceType];
  const parameters =
    numbers === 'number' ? { efConstruction, m } : { ef_construction: String(efConstruction), m: String(m) };
  return { ...(spaceType !== undefined && { spaceType }), parameters };
}
