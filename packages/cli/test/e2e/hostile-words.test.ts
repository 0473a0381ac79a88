import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
/** Sets the title of a terminal, in both spellings. */
const HOSTILE = '\u001b]0;pwned\u0007\u009b2J';
const SHOWN = '\ufffd]0;pwned\ufffd\ufffd2J';

const ANSWERS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/message': (response) => response.writeHead(400).end(JSON.stringify({ message: HOSTILE, code: HOSTILE })),
  '/no-json': (response) => response.end(HOSTILE),
  // A header has Latin-1 characters, and no other controls than this.
  '/redirect': (response) => response.writeHead(302, { location: '\u009b2J' }).end(),
  '/number': (response) => response.end(JSON.stringify({ numberOfDocuments: HOSTILE })),
};

const folder = mkdtempSync(join(tmpdir(), 'pelorus-hostile-'));
const server = createServer(({ url = '' }, response) => {
  const [, answer] = Object.entries(ANSWERS).find(([way]) => url.startsWith(way)) ?? [];
  if (answer === undefined) response.writeHead(404).end('{}');
  else answer(response);
});
let address: string;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close().closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

function printed(words: string[]): Promise<{ out: string; said: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...words], { cwd: folder }, (_, out, said) => resolve({ out, said }));
  });
}

test.each([
  ['/message', `pelorus: ${SHOWN} (${SHOWN})\n`],
  ['/no-json', `with what is no JSON object: ${SHOWN}\n`],
  ['/redirect', 'with a redirect to \ufffd2J, which is not followed\n'],
])('a server that answers %s moves no cursor', async (way, shown) => {
  const { out, said } = await printed(['indexes', 'list', '--url', `${address}${way}`]);
  expect([out, said]).toEqual(['', expect.stringContaining(shown)]);
});

test('a text in the place of a number moves no cursor', async () => {
  const { out } = await printed(['documents', 'count', 'notes', '--url', `${address}/number`]);
  expect(out).toBe(`${SHOWN}\n`);
});

test('no word of a command line moves the cursor when it is refused', async () => {
  expect((await printed([HOSTILE])).said).toBe(`pelorus: unknown command '${SHOWN}'\n`);
});

test('names of fields and lines of a file move no cursor', async () => {
  writeFileSync(join(folder, 'table.csv'), `id,${HOSTILE},n\n1,two,3\n2,four,x\n`);
  writeFileSync(join(folder, 'lines.jsonl'), `${HOSTILE}\n{"a": 1}\n`);
  for (const file of ['table.csv', 'lines.jsonl']) {
    const { said } = await printed(['import', 'notes', file, '--dry-run', '--url', `${address}/other`]);
    expect(said).toMatch(/\ufffd/);
    expect(said).not.toMatch(/[^\P{Cc}\n]/u);
  }
});
