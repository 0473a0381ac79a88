import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { afterAll, expect, test } from 'vitest';
import { emptyFolder, ServerProcess } from './server-process.js';
import { startProcess } from './start-process.js';

const data = emptyFolder('listening');
afterAll(() => rmSync(data, { recursive: true, force: true }));

/** The routes of the request lines that the server wrote. */
const requestLines = ({ output }: ServerProcess): string[] =>
  [...output.matchAll(/"level":(\d+).*"route":"([^"]*)","status":(\d+),.*"msg":"request"/g)].map((found) =>
    found.slice(1).join(' '),
  );

test('a request that goes well writes no line unless asked for, a refused one does', async () => {
  const quiet = await ServerProcess.start(['--data', data]);
  await quiet.ok('GET', '/indexes');
  await quiet.call('GET', '/indexes/nope/stats');
  await quiet.end();
  expect(requestLines(quiet)).toEqual(['30 /indexes/:indexName/stats 404']);

  const talking = await ServerProcess.start(['--data', data, '--log-level', 'debug']);
  await talking.ok('GET', '/indexes');
  await talking.end();
  expect(requestLines(talking)).toEqual(['20 /indexes 200']);
});

test('it warns of variables that it does not read', async () => {
  const server = await ServerProcess.start(['--data', data], { env: { MARQO_INFERENCE_TIMEOUT: '300' } });
  await server.end();
  expect(server.output).toMatch(/^Warning: MARQO_INFERENCE_TIMEOUT is set and changes nothing: models run in this/m);
});

test.each([
  ['127.0.0.1', false],
  ['localhost', false],
  ['0.0.0.0', true],
])('on %s it says where it listens, and warns of other machines: %s', async (host, isExposed) => {
  const server = await ServerProcess.start(['--data', data, '--host', host, '--keys-enforcement', 'off']);
  const port = new URL(server.address).port;
  await server.ok('GET', '/health');
  await server.end();

  const named = host === 'localhost' ? String.raw`(127\.0\.0\.1|\[::1\])` : host.replaceAll('.', '\\.');
  expect(server.output).toMatch(new RegExp(`^Pelorus is listening on http://${named}:${port} `, 'm'));
  expect(server.output.match(/^Warning: .*$/gm) ?? []).toEqual(
    isExposed ? [expect.stringMatching(`http://0.0.0.0:${port}, and no key is asked for`)] : [],
  );
});

test.runIf(process.platform !== 'win32')('the end of npx stops the server behind it in order', async () => {
  const npx = startProcess('npx', ['pelorus', 'serve', '--port', '0', '--data', data], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const said: string[] = [];
  for await (const line of createInterface({ input: npx.stdout as NodeJS.ReadableStream })) {
    said.push(line);
    if (line.includes('is listening on')) npx.kill('SIGTERM');
  }
  // The server held this pipe until it ended.
  expect(said.at(-1)).toBe('SIGTERM: finishing what is under way; once more to quit at once');
});
