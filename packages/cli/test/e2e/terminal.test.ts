import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { emptyFolder, ServerProcess } from './server-process.js';

const run = promisify(execFile);
/** Runs the command that follows on a terminal. */
const ON_A_TERMINAL = ['python3', '-c', 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)'];
const hasTerminal = await run('python3', ['-c', 'import pty']).then(
  () => true,
  () => false,
);

test.skipIf(!hasTerminal)('on a terminal a start is a table, and lines of the log are for people', async () => {
  const data = emptyFolder('terminal');
  const server = await ServerProcess.start(['--data', data], {
    env: { NO_COLOR: '1', FORCE_COLOR: undefined },
    inside: ON_A_TERMINAL,
  });
  await server.waitFor(/^keys +none: /m);
  expect(server.output).toMatch(
    /^address +http:\S+\r\nconsole +http:\S+\/console\r\ndocs +http:\S+\/docs\r\nengine +embedded\r\ndata +\S+\r\nindexes +0 /m,
  );
  expect((await server.call('GET', '/indexes/none')).status).toBe(404);
  await server.waitFor(/^\[\d\d:\d\d:\d\d\] INFO: request .*"route":"\/indexes\/:indexName","status":404/m);
  expect(server.output).not.toContain('{"level"');
  // Its end closes the terminal, which tells the server to stop.
  await server.end('SIGKILL');
  rmSync(data, { recursive: true, force: true, maxRetries: 20 });
});
