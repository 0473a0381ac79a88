import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GRAPH, TOKENIZER } from '../folder/manifest.js';
import { scanOnnx } from '../onnx/onnx-scan.js';
import { shownUrl } from '../outbound/shown-url.js';
import type { RemoteFile, Weights } from '../resolved-model.js';
import { type FetchContext, type Filled, fetchFile } from './fetch-context.js';
import { SourceFailure } from './source-failure.js';
import { unzip } from './unzip.js';

/** Fills a folder from one zip file. @throws SourceFailure */
export async function fillFromArchive(
  context: FetchContext,
  { file }: Extract<Weights, { kind: 'archive' }>,
): Promise<Filled> {
  const archive = join(context.folder, 'archive.zip');
  await fetchFile(context, file, baseName(file), archive);
  const files = await unzip(archive, context.folder, wantedEntry, context);
  await rm(archive);
  requireBoth(context, files);
  return { files, provenance: { source: describeFile(file) } };
}

/** Fills a folder from single files. @throws SourceFailure */
export async function fillFromFiles(
  context: FetchContext,
  { files, tokenizerRepo }: Extract<Weights, { kind: 'files' }>,
): Promise<Filled> {
  const all = [...files];
  if (tokenizerRepo !== null && !files.some((file) => baseName(file) === TOKENIZER)) {
    all.push({ from: 'hub', repo: tokenizerRepo, file: TOKENIZER });
  }
  const names = all.map(baseName);
  let { bytesMax } = context;
  for (const [i, file] of all.entries()) {
    const name = names[i] ?? '';
    bytesMax -= await fetchFile({ ...context, bytesMax }, file, name, join(context.folder, name));
  }
  requireBoth(context, names);
  return { files: names, provenance: { source: files.map(describeFile).join(', ') } };
}

/** Tells a place without what is secret in it. */
export function describeFile(file: RemoteFile): string {
  if (file.from === 'url') return shownUrl(file.url);
  return file.from === 's3' ? `s3://${file.bucket}/${file.key}` : `hub ${file.repo} ${file.file}`;
}

function requireBoth({ folder }: FetchContext, names: readonly string[]): void {
  for (const name of [GRAPH, TOKENIZER]) {
    if (!names.includes(name)) throw new SourceFailure(`there is no ${name} in it`);
  }
  const missing = scanOnnx(join(folder, GRAPH)).externalData.find((name) => !names.includes(name));
  if (missing !== undefined) throw new SourceFailure(`its graph refers to ${missing}, which is not there`);
}

/** In an archive the files may lie in any folder; graphs of big models keep tensors in files beside them. */
function wantedEntry(entry: string): string | null {
  const base = entry.split('/').pop() ?? '';
  return base === GRAPH || base === TOKENIZER || /^model\.onnx[._]data[\w.]*$/.test(base) ? base : null;
}

function baseName(file: RemoteFile): string {
  const path = file.from === 'url' ? new URL(file.url).pathname : file.from === 's3' ? file.key : file.file;
  return path.split('/').pop() ?? '';
}
