import { stat } from 'node:fs/promises';
import type { Fetcher } from '../outbound/fetcher.js';
import type { Modality, RemoteFile } from '../resolved-model.js';
import { type DownloadOptions, download } from './download.js';
import type { ModelAuth } from './model-auth.js';
import type { OnProgress } from './progress.js';
import { type S3Place, s3Request } from './s3-request.js';
import { SourceFailure } from './source-failure.js';

/** The parts that every source works with while it fills one folder. */
export interface FetchContext {
  readonly model: string;
  readonly modalities: readonly Modality[];
  /** The folder to fill. Parts of an earlier try may lie in it. */
  readonly folder: string;
  readonly fetcher: Fetcher;
  readonly auth: ModelAuth;
  /** Origin of the hub. */
  readonly hubUrl: string;
  readonly s3: S3Place;
  /** Largest model that is taken, all files together. */
  readonly bytesMax: number;
  /** @throws SourceFailure when so many bytes more do not fit among the downloads under way. */
  readonly makeRoom: (bytes: number) => Promise<void>;
  readonly onProgress: OnProgress | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Fetches one remote file to `to`. Returns its bytes. @throws SourceFailure */
export async function fetchFile(context: FetchContext, file: RemoteFile, name: string, to: string): Promise<number> {
  try {
    await fetchFrom(context, file, name, to);
  } catch (error) {
    const s3 = file.from === 's3' ? otherRegion(context.s3, error) : null;
    if (s3 === null) throw error;
    await fetchFrom({ ...context, s3 }, file, name, to);
  }
  return (await stat(to)).size;
}

/** Statuses that may mean missing credentials; a hub answers 401 for what is not there too. */
const REFUSED = [401, 403];

async function fetchFrom(context: FetchContext, file: RemoteFile, name: string, to: string): Promise<void> {
  const options: DownloadOptions = {
    request: await requestFor(context, file),
    to,
    bytesMax: context.bytesMax,
    makeRoom: context.makeRoom,
    onBytes: (receivedBytes, totalBytes) =>
      context.onProgress?.({ model: context.model, way: file.from, file: name, receivedBytes, totalBytes }),
    signal: context.signal,
  };
  await download(context.fetcher, options).catch((error) => {
    if (file.from === 'url' || !(error instanceof SourceFailure) || !REFUSED.includes(error.status ?? 0)) throw error;
    const { message, headers, status } = error;
    throw new SourceFailure(message, { headers, status: status ?? 0, asksForCredentials: true, cause: error });
  });
}

/** A bucket asked for in the wrong region is refused with a header that names the right one. */
function otherRegion(asked: S3Place, error: unknown): S3Place | null {
  if (!(error instanceof SourceFailure)) return null;
  const region = error.headers['x-amz-bucket-region'] ?? '';
  if (!/^[a-z0-9-]+$/.test(region) || region === asked.region) return null;
  return { region, endpoint: asked.endpoint.replace(asked.region, region) };
}

async function requestFor(context: FetchContext, file: RemoteFile): Promise<DownloadOptions['request']> {
  if (file.from === 'url') return async () => ({ url: file.url });
  if (file.from === 's3') return () => s3Request(context.s3, file.bucket, file.key, context.auth.s3);
  const path = file.file.split('/').map(encodeURIComponent).join('/');
  const url = `${context.hubUrl.replace(/\/$/, '')}/${file.repo}/resolve/main/${path}`;
  const { hubToken } = context.auth;
  return async () => ({ url, headers: hubToken === null ? {} : { authorization: `Bearer ${hubToken}` } });
}
