import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Filled } from '../folder/complete-folder.js';
import { isPlainFileName } from '../folder/file-name.js';
import { GRAPH, graphPath, inFolder, requiredFiles, TOKENIZER, towerFolder } from '../folder/layout.js';
import { scanOnnx } from '../folder/onnx-scan.js';
import { shownUrl } from '../outbound/shown-url.js';
import type { Modality, RemoteFile, Weights } from '../resolved-model.js';
import { type FetchContext, fetchFile } from './fetch-context.js';
import { isRefusal, SourceFailure } from './source-failure.js';
import { untar } from './untar.js';
import { unzip } from './unzip.js';

/** Fills a folder from one archive. @throws SourceFailure */
export async function fillFromArchive(
  context: FetchContext,
  { file }: Extract<Weights, { kind: 'archive' }>,
): Promise<Filled> {
  const archive = join(context.folder, archiveName('archive', file));
  await fetchFile(context, file, baseName(file), archive);
  const files = await unpackInto(context, archive, '');
  await rm(archive);
  requireWhole(context, files);
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
    bytesMax -= await fetchFile({ ...context, bytesMax }, file, name, join(context.folder, name)).catch((error) => {
      throw all.length > 1 && isRefusal(error) ? error.retold(`${describeFile(file)} ${error.message}`) : error;
    });
  }
  requireWhole(context, names);
  return { files: names, provenance: { source: files.map(describeFile).join(', ') } };
}

/** Shows a place without the secrets in it. */
export function describeFile(file: RemoteFile): string {
  if (file.from === 'url') return shownUrl(file.url);
  return file.from === 's3' ? `s3://${file.bucket}/${file.key}` : `hub ${file.repo} ${file.file}`;
}

/**
 * Unpacks the model files of an archive. In it the files may lie in any folder; those of a tower lie in one of its
 * name, or belong into the tower's `folder` where that is given. Files that are `known` are left out.
 *
 * @returns their paths within the model's folder
 */
export function unpackInto(
  context: FetchContext,
  archive: string,
  folder: string,
  known: readonly string[] = [],
): Promise<string[]> {
  const wanted = (entry: string) => {
    const path = pathOfEntry(entry, folder, context.modalities);
    return path === null || known.includes(path) ? null : path;
  };
  const unpack = archive.endsWith('.zip') ? unzip : untar;
  return unpack(archive, context.folder, wanted, context);
}

/** The name of an archive while it lies in the folder of its model: the end tells its kind. */
export function archiveName(stem: string, file: RemoteFile): string {
  const [, end = ''] = /(\.zip|\.tar|gz)$/.exec(baseName(file).toLowerCase()) ?? [];
  return stem + (end === 'gz' ? '.tgz' : end);
}

function pathOfEntry(entry: string, folder: string, modalities: readonly Modality[]): string | null {
  const [base = '', parent = ''] = entry.split('/').reverse();
  if (base === TOKENIZER) return TOKENIZER;
  const isTower = modalities.length > 1 && (modalities as readonly string[]).includes(parent);
  const tower = isTower ? parent : folder;
  // The archive of one tower may call its graph and tensors what it likes.
  if (!isTower && folder !== '' && isPlainFileName(base))
    return inFolder(folder, base.endsWith('.onnx') ? GRAPH : base);
  const isOurs = base === GRAPH || /^model\.onnx[._]data[\w.]*$/.test(base);
  return isOurs && (tower !== '' || modalities.length === 1) ? inFolder(tower, base) : null;
}

/** @throws SourceFailure naming what is missing among the files of a model's folder, given by path within it. */
export function requireWhole({ folder, modalities }: FetchContext, paths: readonly string[]): void {
  const missing = requiredFiles(modalities).find((path) => !paths.includes(path));
  if (missing !== undefined) throw new SourceFailure(`there is no ${missing} in it`);
  for (const modality of modalities) {
    const graph = graphPath(modality, modalities);
    const tensors = scanOnnx(join(folder, graph)).externalData;
    const absent = tensors.find((name) => !paths.includes(inFolder(towerFolder(modality, modalities), name)));
    if (absent !== undefined) throw new SourceFailure(`its graph refers to ${absent}, which is not there`);
  }
}

/** The last part of a file's path. */
export function baseName(file: RemoteFile): string {
  const path = file.from === 'url' ? new URL(file.url).pathname : file.from === 's3' ? file.key : file.file;
  return path.split('/').pop() ?? '';
}
