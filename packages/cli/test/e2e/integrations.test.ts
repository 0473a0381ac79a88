import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fetched, orSkip } from './fetched.js';
import { at, blocks } from './page.js';
import { pythonOf } from './python-environment.js';
import { emptyFolder, ServerProcess } from './server-process.js';

const PAGE = 'docs/integrations.md';
const REQUIREMENTS = fileURLToPath(new URL('integrations.txt', import.meta.url));

const data = emptyFolder('integrations');
let server: ServerProcess;

beforeAll(async () => {
  server = await ServerProcess.start(['--data', data, '--hub', 'none']);
});
afterAll(async () => {
  await server?.end();
  rmSync(data, { recursive: true, force: true });
});

/** Runs a program of the page as printed, but for the address; the lines that it prints. */
async function printed(python: string, program: string | undefined): Promise<string[]> {
  // Nothing is told to the makers of the libraries.
  const env = { ...process.env, LANGCHAIN_TRACING_V2: 'false', LANGSMITH_TRACING: 'false' };
  const { stdout } = await promisify(execFile)(python, ['-c', at(server.address, program as string)], { env });
  return stdout.trim().split('\n');
}

test('the page names the versions that its programs are tried with', () => {
  const tried = readFileSync(REQUIREMENTS, 'utf8').split('\n');
  const named = blocks(PAGE, 'text')[0]?.trim().split(' ').slice(2) ?? [];
  expect(named).toHaveLength(4);
  expect(named.filter((version) => !tried.includes(version))).toEqual([]);
});

const programs = [
  ['LangChain', ["['Bread and Salt']", "['Orbit', 'Bread and Salt']", "['Orbit']"]],
  ['LlamaIndex', ["['Bread and Salt']", "['Orbit']", "['Orbit']"]],
] as const;

describe.each(programs.map((program, number) => [program[0], number, program[1]] as const))(
  '%s',
  (_, number, lines) => {
    test('finds the films of the page', async (context) => {
      const python = await orSkip(
        context,
        fetched(() => pythonOf(REQUIREMENTS)),
      );
      expect(await printed(python, blocks(PAGE, 'python')[number])).toEqual(lines);
    });
  },
);
