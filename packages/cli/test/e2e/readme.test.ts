import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { officialClient, pythonWith } from './python-environment.js';
import { emptyFolder, ServerProcess } from './server-process.js';

const run = promisify(execFile);

/** The fenced blocks of a page in one language; `path` is relative to the root. */
function blocks(path: string, language: string): string[] {
  const text = readFileSync(fileURLToPath(new URL(`../../../../${path}`, import.meta.url)), 'utf8');
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    .filter(([, tag]) => tag === language)
    .map(([, , text]) => text as string);
}

/** The commands of a shell block: a comment line begins the next one. */
function commands(block: string): string[] {
  return block.split(/^#.*$/m).filter((command) => command.trim() !== '');
}

describe('the README and the pages on searching and models, as printed but for the port', () => {
  const data = emptyFolder('readme');
  let server: ServerProcess;
  const here = (text: string): string => text.replaceAll('http://127.0.0.1:8882', server.address);

  /** Runs the commands of the blocks that call the server and returns their answers. */
  async function answersOf(path: string): Promise<any[]> {
    const lines = blocks(path, 'sh').filter((block) => block.includes('curl'));
    const answers = [];
    for (const command of commands(here(lines.join('')))) {
      answers.push(JSON.parse((await run('sh', ['-c', command])).stdout));
    }
    return answers;
  }

  beforeAll(async () => {
    server = await ServerProcess.start(['--data', data]);
  });
  afterAll(async () => {
    await server?.end();
    rmSync(data, { recursive: true, force: true });
  });

  test('the curl lines of the README create an index, fill it, search it and embed a query', async () => {
    const [created, added, found, embedded] = await answersOf('README.md');
    expect(created).toEqual({ acknowledged: true, index: 'notes' });
    expect(added.errors).toBe(false);
    expect(found.hits.map((hit: any) => hit.title)).toEqual(['Puncture']);
    expect(embedded.embeddings.map((vector: number[]) => vector.length)).toEqual([384]);
  });

  test('the curl lines on searching find by meaning, by words and by both', async () => {
    const [meaning, words, both] = await answersOf('docs/searching.md');
    expect(meaning.hits.map((hit: any) => hit.title)).toEqual(['Puncture']);
    expect(words.hits.map((hit: any) => hit.title)).toEqual(['Tomatoes']);
    expect(both.hits[0].title).toBe('Tomatoes');
  });

  test('the Python of the README finds the romance', async () => {
    const [snippet] = blocks('README.md', 'python');
    const { stdout } = await run(pythonWith(officialClient), ['-c', here(snippet as string)]);
    expect(stdout.trim()).toBe('Bread and Salt');
  });

  test('the example of a model file is one', () => {
    const [example] = blocks('docs/models.md', 'json');
    expect(Object.keys(JSON.parse(example as string).models)).toContain('hf/e5-base-v2');
  });
});
