import { readFile, rm } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { TokenEncoder } from '@pelorus/node';
import { CHECKPOINT, CHECKPOINT_FILES, CONFIG, notRunnable } from '../folder/checkpoint.js';
import type { Filled } from '../folder/complete-folder.js';
import { GRAPH, TOKENIZER } from '../folder/layout.js';
import { scanOnnx } from '../folder/onnx-scan.js';
import { PIPELINE_FILES, type PublisherPipeline, publisherPipeline } from '../folder/publisher-pipeline.js';
import { shownUrl } from '../outbound/shown-url.js';
import type { Weights } from '../resolved-model.js';
import { type FetchContext, fetchFile } from './fetch-context.js';
import { allRefused, isRefusal, SourceFailure } from './source-failure.js';

type HubWeights = Extract<Weights, { kind: 'hub' }>;

/**
 * Fills a folder from the first of a model's hub graphs that is there, else from the weights of its publisher, which an
 * encoder of Pelorus runs where it knows their architecture. Graphs come first: they say themselves what they compute.
 *
 * @throws SourceFailure
 */
export async function fillFromHub(context: FetchContext, { repo, graphs }: HubWeights): Promise<Filled> {
  const refusals: SourceFailure[] = [];
  if (graphs.length === 0) refusals.push(new SourceFailure(`no ready-made ONNX export of ${repo} is known`));
  const sources = [
    ...graphs.map((graph) => ({ ...graph, fetch: fetchGraph })),
    { repo, file: CHECKPOINT, fetch: fetchCheckpoint },
  ];
  for (const { fetch, ...place } of sources) {
    try {
      const files = await fetch(context, place.repo, place.file);
      const publisher = await pipelineOf(context, repo);
      const source = `${shownUrl(context.hubUrl)}/${place.repo} ${place.file}`;
      return { files, provenance: { source, ...publisher } };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refusals.push(error.retold(`${place.repo} ${place.file} ${error.message}`));
    }
  }
  throw allRefused(refusals);
}

/** The tokenizer comes first: it is small, and missing where the repository holds something else. */
async function fetchGraph(context: FetchContext, repo: string, file: string): Promise<readonly string[]> {
  const { folder } = context;
  let { bytesMax } = context;
  const fetch = async (path: string, name: string) => {
    bytesMax -= await fetchFile({ ...context, bytesMax }, { from: 'hub', repo, file: path }, name, join(folder, name));
  };
  await fetch(TOKENIZER, TOKENIZER);
  await fetch(file, GRAPH);
  const { externalData } = scanOnnx(join(folder, GRAPH));
  for (const name of externalData) await fetch(posix.join(posix.dirname(file), name), name);
  return [GRAPH, TOKENIZER, ...externalData];
}

/** The configuration comes first: it tells whether the weights, which may be gigabytes, can be run at all. */
async function fetchCheckpoint(context: FetchContext, repo: string, file: string): Promise<readonly string[]> {
  const { folder } = context;
  let { bytesMax } = context;
  const fetch = async (name: string) => {
    const bounded = { ...context, bytesMax: name === CONFIG ? Math.min(bytesMax, 1 << 20) : bytesMax };
    bytesMax -= await fetchFile(bounded, { from: 'hub', repo, file: name }, name, join(folder, name));
  };
  await fetch(CONFIG);
  requireKnown(TokenEncoder.configRefusal(await readFile(join(folder, CONFIG), 'utf8')));
  await fetch(TOKENIZER);
  await fetch(file);
  requireKnown(await TokenEncoder.refusal(join(folder, file)));
  return CHECKPOINT_FILES;
}

/** @throws SourceFailure where weights are refused */
function requireKnown(refusal: string | null): void {
  if (refusal !== null) throw new SourceFailure(notRunnable(refusal));
}

/** The pipeline that the publisher's own files describe; members that they do not have are left open. */
async function pipelineOf(context: FetchContext, repo: string): Promise<PublisherPipeline> {
  const pooling = await optionalJson(context, repo, PIPELINE_FILES.pooling);
  const modules = await optionalJson(context, repo, PIPELINE_FILES.modules);
  return publisherPipeline({ pooling, modules });
}

/** Tells whether the publisher's own pipeline ends in a normalisation; nothing where the hub does not tell. */
export async function fetchUnitLength(
  context: FetchContext,
  repo: string,
): Promise<Pick<PublisherPipeline, 'unitLength'>> {
  return publisherPipeline({ pooling: null, modules: await optionalJson(context, repo, PIPELINE_FILES.modules) });
}

/** Null where the repository has no such file or none of JSON, undefined where that could not be found out. */
async function optionalJson(context: FetchContext, repo: string, file: string): Promise<unknown> {
  const to = join(context.folder, '.pipeline.json');
  try {
    await fetchFile({ ...context, onProgress: undefined, bytesMax: 1 << 20 }, { from: 'hub', repo, file }, file, to);
    return JSON.parse(await readFile(to, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    if (error instanceof SourceFailure) return error.status === 404 ? null : undefined;
    throw error;
  } finally {
    await rm(to, { force: true });
  }
}
