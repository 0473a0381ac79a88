import { readFile, rm } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { GRAPH, TOKENIZER } from '../folder/layout.js';
import { scanOnnx } from '../onnx/onnx-scan.js';
import { shownUrl } from '../outbound/shown-url.js';
import type { Pooling, Weights } from '../resolved-model.js';
import { type FetchContext, type Filled, fetchFile } from './fetch-context.js';
import { SourceFailure } from './source-failure.js';

type HubWeights = Extract<Weights, { kind: 'hub' }>;

/** Fills a folder from the first of a model's hub graphs that is there. @throws SourceFailure */
export async function fillFromHub(context: FetchContext, { repo, graphs }: HubWeights): Promise<Filled> {
  const refusals: string[] = [];
  for (const graph of graphs) {
    try {
      const files = await fetchGraph(context, graph.repo, graph.file);
      const publisher = await publisherPipeline(context, repo);
      const source = `${shownUrl(context.hubUrl)}/${graph.repo} ${graph.file}`;
      return { files, provenance: { source, ...publisher } };
    } catch (error) {
      if (!(error instanceof SourceFailure) || error.isUnreachable || error.isCut) throw error;
      refusals.push(`${graph.repo} ${graph.file} ${error.message}`);
    }
  }
  if (refusals.length === 0) throw new SourceFailure(`no ready-made ONNX export of ${repo} is known`);
  throw new SourceFailure(refusals.join(', '));
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

/** How the publisher's own pipeline pools and whether it normalises; what it does not say is left open. */
async function publisherPipeline(
  context: FetchContext,
  repo: string,
): Promise<{ pooling?: Pooling; unitLength?: boolean }> {
  const pooling = poolingOf(await optionalJson(context, repo, '1_Pooling/config.json'));
  const modules = context.type === 'sbert' ? await optionalJson(context, repo, 'modules.json') : null;
  const isUnitLength = Array.isArray(modules) && modules.some((module) => String(module?.type).endsWith('.Normalize'));
  return { ...(pooling !== null && { pooling }), ...(isUnitLength && { unitLength: true }) };
}

function poolingOf(config: unknown): Pooling | null {
  if (typeof config !== 'object' || config === null) return null;
  const { pooling_mode_cls_token: cls, pooling_mode_mean_tokens: mean } = config as Record<string, unknown>;
  return cls === true ? 'cls' : mean === true ? 'mean' : null;
}

async function optionalJson(context: FetchContext, repo: string, file: string): Promise<unknown> {
  const to = join(context.folder, '.pipeline.json');
  try {
    await fetchFile({ ...context, onProgress: undefined, bytesMax: 1 << 20 }, { from: 'hub', repo, file }, file, to);
    return JSON.parse(await readFile(to, 'utf8'));
  } catch (error) {
    if (error instanceof SourceFailure || error instanceof SyntaxError) return null;
    throw error;
  } finally {
    await rm(to, { force: true });
  }
}
