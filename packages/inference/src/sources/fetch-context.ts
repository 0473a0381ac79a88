import type { Provenance } from '../folder/manifest.js';
import type { Fetcher } from '../outbound/fetcher.js';
import type { ModelType, RemoteFile } from '../resolved-model.js';
import { type DownloadOptions, download } from './download.js';
import type { ModelAuth } from './model-auth.js';
import type { OnProgress } from './progress.js';
import { s3Request } from './s3-request.js';
import { SourceFailure } from './source-failure.js';

/** What every source works with while it fills one folder. */
export interface FetchContext {
  readonly model: string;
  readonly type: ModelType;
  /** The folder to fill. Parts of an earlier try may lie in it. */
  readonly folder: string;
  readonly fetcher: Fetcher;
  readonly auth: ModelAuth;
  /** Origin of the hub, null when none is asked. */
  readonly hubUrl: string | null;
  readonly s3: { readonly endpoint: string; readonly region: string };
  readonly bytesMax: number;
  readonly onProgress: OnProgress | undefined;
  readonly signal: AbortSignal | undefined;
}

/** The plain names of the files that were put into the folder, and what was learned on the way. */
export interface Filled {
  readonly files: readonly string[];
  readonly provenance: Provenance;
}

/** Fetches one remote file to `to`. @throws SourceFailure */
export async function fetchFile(context: FetchContext, file: RemoteFile, name: string, to: string): Promise<void> {
  await download(context.fetcher, {
    request: await requestFor(context, file),
    to,
    bytesMax: context.bytesMax,
    onBytes: (receivedBytes, totalBytes) =>
      context.onProgress?.({ model: context.model, way: file.from, file: name, receivedBytes, totalBytes }),
    signal: context.signal,
  });
}

async function requestFor(context: FetchContext, file: RemoteFile): Promise<DownloadOptions['request']> {
  if (file.from === 'url') return async () => ({ url: file.url });
  if (file.from === 's3') return () => s3Request(context.s3, file.bucket, file.key, context.auth.s3);
  if (context.hubUrl === null) throw new SourceFailure('no hub is configured', { isUnreachable: true });
  const path = file.file.split('/').map(encodeURIComponent).join('/');
  const url = `${context.hubUrl.replace(/\/$/, '')}/${file.repo}/resolve/main/${path}`;
  const { hubToken } = context.auth;
  return async () => ({ url, headers: hubToken === null ? {} : { authorization: `Bearer ${hubToken}` } });
}
