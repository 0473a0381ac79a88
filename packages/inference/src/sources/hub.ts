import { readFile, rm } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { Filled } from '../folder/complete-folder.js';
import { GRAPH, TOKENIZER } from '../folder/layout.js';
import { scanOnnx } from '../folder/onnx-scan.js';
import { PIPELINE_FILES, type PublisherPipeline, publisherPipeline } from '../folder/publisher-pipeline.js';
import { shownUrl } from '../outbound/shown-url.js';
import type { Weights } from '../resolved-model.js';
import { type FetchContext, fetchFile } from './fetch-context.js';
import { allRefused, isRefusal, SourceFailure } from './source-failure.js';

type HubWeights = Extract<Weights, { kind: 'hub' }>;

/** Fills a folder from the first of a model's hub graphs that is there. @throws SourceFailure */
export async function fillFromHub(context: FetchContext, { repo, graphs }: HubWeights): Promise<Filled> {
  const refusals: SourceFailure[] = [];
  for (const graph of graphs) {
    try {
      const files = await fetchGraph(context, graph.repo, graph.file);
      const publisher = await pipelineOf(context, repo);
      const source = `${shownUrl(context.hubUrl)}/${graph.repo} ${graph.file}`;
      return { files, provenance: { source, ...publisher } };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refusals.push(error.retold(`${graph.repo} ${graph.file} ${error.message}`));
    }
  }
  if (refusals.length === 0) throw new SourceFailure(`no ready-made ONNX export of ${repo} is known`);
  throw allRefused(refusals);
}

/** The tokenizer comes first: it is small, and missing where the repository holds something else. */
async function fetchGraph(context: FetchContext, repo: string, file: string): Promise<string[]> {
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
