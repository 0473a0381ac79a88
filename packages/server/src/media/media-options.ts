import type { MediaOptions, Medium, Modality } from '@pelorus/inference';
import type { Config } from '../config.js';
import type { IndexDefinition } from '../services/definition.js';
import type { DownloadHeaders } from '../validation/download-headers.js';

/** Fetches at once of a request for a model of films and sounds: each is large. */
const LANGUAGEBIND_CONNECTIONS = 5;

/** The members of a request that say how its media are fetched. */
export interface MediaRequest {
  readonly headers: DownloadHeaders;
  /** `mediaDownloadThreadCount`. */
  readonly mediaConnections?: number | undefined;
  /** `imageDownloadThreadCount`. */
  readonly imageConnections?: number | undefined;
}

/** The treatment of media in the documents of an index. */
export interface DocumentMedia {
  /** The media that its model takes; none where no pointer stands for what it points to. */
  readonly taken: Medium[];
  /** The rules by which they are fetched and taken apart. */
  readonly options?: MediaOptions;
}

/** Returns the treatment of media in the documents of a request. Where it has none nobody asks for the model. */
export function documentMedia(definition: IndexDefinition, request: MediaRequest, config: Config): DocumentMedia {
  const { settings } = definition;
  if (!hasPointers(definition)) return { taken: [] };
  const { type, modalities } = definition.model();
  const { headers, mediaConnections, imageConnections } = request;
  const byModel = type === 'languagebind' ? LANGUAGEBIND_CONNECTIONS : undefined;
  const taken = mediaOf(modalities);
  const options: MediaOptions = {
    headers,
    connections:
      mediaConnections ??
      config.mediaConnections ??
      byModel ??
      imageConnections ??
      config.imageConnections ??
      undefined,
    patchMethod: settings.imagePreprocessing.patchMethod ?? null,
    video: settings.videoPreprocessing,
    audio: settings.audioPreprocessing,
    fileBytesMax: config.documentMediaBytesMax,
    treated: taken.filter((medium) => treats(definition, medium)),
  };
  return { taken, options };
}

/** The rules by which the media of a query are fetched: each has one vector. */
export function queryMedia(definition: IndexDefinition, headers: DownloadHeaders, config: Config): MediaOptions {
  const treated = mediaOf(definition.model().modalities).filter((medium) => treats(definition, medium));
  return { headers, patchMethod: null, video: null, audio: null, fileBytesMax: config.queryMediaBytesMax, treated };
}

/**
 * Tells whether a query's pointer to a medium stands for that medium, if the model takes it. A structured index has types
 * for its fields instead of a setting, so that there every pointer does.
 */
export function treats({ settings }: Pick<IndexDefinition, 'settings'>, medium: Medium): boolean {
  if (settings.type === 'structured') return true;
  return medium === 'image'
    ? settings.treatUrlsAndPointersAsImages === true
    : settings.treatUrlsAndPointersAsMedia === true;
}

/** Tells whether a document may hold a pointer that stands for its target. */
function hasPointers({ settings }: IndexDefinition): boolean {
  if (settings.type === 'unstructured') return settings.treatUrlsAndPointersAsImages === true;
  return settings.allFields?.some(({ type }) => type.endsWith('_pointer')) === true;
}

export function mediaOf(modalities: readonly Modality[]): Medium[] {
  return modalities.filter((modality) => modality !== 'text');
}
