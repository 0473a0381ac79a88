import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commands } from './page.js';
import { emptyFolder, ServerProcess, withAdminKey } from './server-process.js';

const run = promisify(execFile);
const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const EXAMPLES = fileURLToPath(new URL('../../../../examples', import.meta.url));

let server: ServerProcess;
const folder = emptyFolder('examples');
beforeAll(async () => {
  const flags = ['--data', join(folder, 'data'), '--media-download-allowed-networks', '127.0.0.0/8'];
  server = await ServerProcess.start(flags);
});
afterAll(async () => {
  await server?.end();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the program of an example, in an empty folder; the lines that it prints. */
async function linesOf(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string[]> {
  const { stdout } = await run(process.execPath, [join(EXAMPLES, program), ...args], {
    cwd: folder,
    // Only a hang meets it.
    timeout: 300_000,
    env: { ...process.env, PELORUS_URL: server.address, ...env },
  });
  return stdout.trimEnd().split('\n');
}

test('the diary keeps entries in a folder, and finds one by its meaning', async () => {
  const program = 'embedded/diary.ts';
  const env = { DIARY: join(folder, 'diary') };
  const entries = ['The ferry was late, so we ate herring on the quay.', 'Planted tomatoes and repaired the fence.'];
  expect(await linesOf(program, ['add', ...entries], env)).toEqual(['2 kept']);
  expect((await linesOf(program, ['find', 'a', 'meal', 'by', 'the', 'water'], env))[0]).toMatch(
    /^\d{4}-\d\d-\d\d {2}The ferry/,
  );
});

test('documentation is found part by part, and only changed parts are sent again', async () => {
  const program = 'documentation-search/documentation.ts';
  const pages = join(folder, 'pages');
  mkdirSync(pages);
  writeFileSync(
    join(pages, 'backup.md'),
    '# Backups\n\nCopies of everything.\n\n## Restore\n\nPut a backup in place.\n',
  );
  writeFileSync(join(pages, 'start.md'), '# Start\n\n```sh\n# no heading\nserve\n```\n');
  const first = await linesOf(program, [pages, 'putt into plac']);
  expect(first[0]).toBe('3 parts, 3 of them sent, 0 deleted');
  expect(first[1]).toBe('backup.md: Restore');
  expect(first[2]).toContain('*Put* a backup in *place*.');
  writeFileSync(join(pages, 'start.md'), '# Begin\n\nServe.\n');
  expect((await linesOf(program, [pages, 'serve']))[0]).toBe('3 parts, 1 of them sent, 1 deleted');
});

test('a picture is found by itself', async () => {
  const pictures = join(folder, 'pictures');
  mkdirSync(pictures);
  // A red pixel, and another picture of one pixel.
  const png = (pixel: string) =>
    Buffer.from(`iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mM${pixel}`, 'base64');
  writeFileSync(join(pictures, 'red.png'), png('4IScHAAK2AQUKW6YGAAAAAElFTkSuQmCC'));
  writeFileSync(join(pictures, 'lost.png'), 'no picture');
  const lines = await linesOf('pictures/pictures.ts', [pictures, join(pictures, 'red.png')], { MODEL: 'random/small' });
  expect(lines[0]).toBe('1 pictures');
  expect(lines[1]).toMatch(/^1\.000 {2}red\.png$/);
});

test('an agent gives a language model the passages of an index, and prints what it names', async () => {
  const npx = commands(folder);
  const env = { PATH: `${npx}${delimiter}${process.env.PATH}` };
  const handbook = join(EXAMPLES, 'rag-over-mcp', 'handbook.jsonl');
  await run(process.execPath, [MAIN, 'import', handbook, '--url', server.address], { cwd: folder });
  const args = ['handbook', 'How', 'long', 'is', 'the', 'warranty?'];
  const shown = (await linesOf('rag-over-mcp/answer.ts', args, env)).join('\n');
  expect(shown).toMatch(/Passages:\n\[warranty\] Warranty: Tents have a warranty of five years/);

  const asked: any[] = [];
  const model = createServer(async (request, response) => {
    asked.push([request.url, JSON.parse(await text(request))]);
    response.end(JSON.stringify({ choices: [{ message: { content: 'Five years [warranty].' } }] }));
  }).listen(0, '127.0.0.1');
  await once(model, 'listening');
  const chat = { CHAT_URL: `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`, CHAT_MODEL: 'm' };
  try {
    const answer = await linesOf('rag-over-mcp/answer.ts', args, { ...env, ...chat });
    expect(answer).toEqual(['Five years [warranty].', '  [warranty] Warranty']);
  } finally {
    model.close();
  }
  expect(asked).toEqual([['/v1/chat/completions', expect.objectContaining({ model: 'm' })]]);
});

test('a shop is made, searched by a page as one types, and told of its visitor', async () => {
  const data = emptyFolder('examples-shop');
  const hosted = await ServerProcess.start(['--hosted', '--data', data], { env: withAdminKey });
  try {
    const env = { PELORUS_URL: hosted.address, PELORUS_API_KEY: withAdminKey.PELORUS_ADMIN_KEY };
    const lines = await linesOf('shop/shop.ts', ['gooseneck ketl'], env);
    expect(lines[0]).toMatch(/^ +6[49]\.00 EUR {2}Gooseneck kettle \(kettle-(black|steel)\)$/);
    expect(lines.at(-2)).toMatch(/^brands: (Tidewater 2, Burrow 2|Burrow 2, Tidewater 2)$/);
    expect(lines.at(-1)).toBe('2 events');
    // The same again changes nothing but the figures.
    expect((await linesOf('shop/shop.ts', ['gift'], env))[0]).toContain('Hand grinder');
  } finally {
    await hosted.end();
    rmSync(data, { recursive: true, force: true });
  }
});

test('every example is run here, and has a page', () => {
  const here = readFileSync(fileURLToPath(import.meta.url), 'utf8');
  const folders = readdirSync(EXAMPLES, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.length).toBeGreaterThan(4);
  for (const { name } of folders) {
    expect(readdirSync(join(EXAMPLES, name)), name).toContain('README.md');
    expect(here, name).toContain(`'${name}/`);
  }
});
