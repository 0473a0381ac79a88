import { spawn } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Filled } from '../folder/complete-folder.js';
import { GRAPH, TOKENIZER } from '../folder/layout.js';
import { sha256OfFile } from '../folder/manifest.js';
import { shownUrl } from '../outbound/shown-url.js';
import type { FetchContext } from './fetch-context.js';
import type { MavenArtifact } from './maven-artifacts.js';
import { SourceFailure } from './source-failure.js';
import { unzip } from './unzip.js';

const COPY_GOAL = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy';
const TIMEOUT_MS = 10 * 60_000;
const OUTPUT_CHARS_MAX = 4_000;

/** Fills a folder from a pinned Java artifact, fetched by Maven itself so that its mirrors count. */
export async function fillFromMaven(context: FetchContext, artifact: MavenArtifact, command: string): Promise<Filled> {
  const folder = join(context.folder, 'maven');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const file = `${artifact.coordinates.split(':').slice(1).join('-')}.jar`;
  const report = (receivedBytes: number) =>
    context.onProgress?.({ model: context.model, way: 'maven', file, receivedBytes, totalBytes: artifact.bytes });
  report(0);
  await copyArtifact(command, artifact.coordinates, folder, context.signal);
  const jar = join(folder, file);
  const received = await sha256OfFile(jar).catch(() => {
    throw new SourceFailure(`${command} succeeded but brought no ${file}`);
  });
  if (received !== artifact.sha256) {
    throw new SourceFailure(`${file} has sha256 ${received}, expected ${artifact.sha256}`);
  }
  report(artifact.bytes);
  const targets = new Map([
    [artifact.graph, GRAPH],
    [artifact.tokenizer, TOKENIZER],
  ]);
  const files = await unzip(jar, context.folder, (entry) => targets.get(entry) ?? null, context);
  await rm(folder, { recursive: true });
  if (files.length < targets.size) throw new SourceFailure(`${file} lacks ${[...targets.keys()].join(' or ')}`);
  return { files, provenance: { source: `maven ${artifact.coordinates}` } };
}

/** Runs in the target folder, so that no path has to pass through a command line. */
function copyArtifact(command: string, coordinates: string, cwd: string, signal?: AbortSignal): Promise<void> {
  const args = ['-q', '-B', COPY_GOAL, `-Dartifact=${coordinates}`, '-DoutputDirectory=.'];
  return new Promise((resolve, reject) => {
    // On Windows the command is a script, which only a shell starts.
    const child = spawn(command, args, {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: TIMEOUT_MS,
      shell: process.platform === 'win32',
      ...(signal && { signal }),
    });
    let output = '';
    const keep = (chunk: string) => {
      output = (output + chunk).slice(-OUTPUT_CHARS_MAX);
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', keep);
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (error.name === 'AbortError') return reject(error);
      const why = error.code === 'ENOENT' ? `the command ${command} was not found` : error.message;
      reject(new SourceFailure(why, { isUnreachable: true, cause: error }));
    });
    child.on('close', (code, killedBy) => {
      if (code === 0) return resolve();
      const how = killedBy === null ? `failed with exit code ${code}` : `was ended by ${killedBy}`;
      reject(new SourceFailure(`${command} ${how}${firstErrorLine(output)}`));
    });
  });
}

function firstErrorLine(output: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what is taken out
  const plain = output.replace(/\u001b\[[0-9;]*m/g, '');
  const line = plain.split('\n').find((text) => text.includes('ERROR')) ?? '';
  const said = line
    .replace(/^\s*\[ERROR\]\s*/, '')
    .trim()
    .replace(/\b[a-z][a-z\d+.-]*:\/\/\S+/gi, shownUrl)
    .slice(0, 300);
  return said === '' ? '' : `: ${said}`;
}
