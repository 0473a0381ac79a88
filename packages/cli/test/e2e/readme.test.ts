import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { officialClient, pythonWith } from './python-environment.js';
import { emptyFolder, ServerProcess } from './server-process.js';

const run = promisify(execFile);
const README = readFileSync(fileURLToPath(new URL('../../../../README.md', import.meta.url)), 'utf8');

/** The fenced blocks of the README in one language. */
function blocks(language: string): string[] {
  return [...README.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    .filter(([, tag]) => tag === language)
    .map(([, , text]) => text as string);
}

/** The commands of a shell block: a comment line begins the next one. */
function commands(block: string): string[] {
  return block.split(/^#.*$/m).filter((command) => command.trim() !== '');
}

describe('the README, as printed but for the port', () => {
  const data = emptyFolder('readme');
  let server: ServerProcess;
  const here = (text: string): string => text.replaceAll('http://127.0.0.1:8882', server.address);

  beforeAll(async () => {
    server = await ServerProcess.start(['--data', data]);
  });
  afterAll(async () => {
    await server?.end();
    rmSync(data, { recursive: true, force: true });
  });

  test('its curl lines create an index, fill it, and find by meaning, by words and by both', async () => {
    const [lines] = blocks('sh').filter((block) => block.includes('curl'));
    const answers = [];
    for (const command of commands(here(lines as string))) {
      answers.push(JSON.parse((await run('sh', ['-c', command])).stdout));
    }
    const [created, added, meaning, words, both] = answers;
    expect(created).toEqual({ acknowledged: true, index: 'notes' });
    expect(added.errors).toBe(false);
    expect(meaning.hits.map((hit: any) => hit.title)).toEqual(['Puncture']);
    expect(words.hits.map((hit: any) => hit.title)).toEqual(['Tomatoes']);
    expect(both.hits[0].title).toBe('Tomatoes');
  });

  test('its Python finds the romance', async () => {
    const [snippet] = blocks('python');
    const { stdout } = await run(pythonWith(officialClient), ['-c', here(snippet as string)]);
    expect(stdout.trim()).toBe('Bread and Salt');
  });

  test('its example of a model file is one', async () => {
    const [example] = blocks('json');
    expect(Object.keys(JSON.parse(example as string).models)).toContain('hf/e5-base-v2');
  });
});
