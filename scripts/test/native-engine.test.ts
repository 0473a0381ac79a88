import { afterEach, expect, test, vi } from 'vitest';
import { ensureNativeEngine, libraryIn } from '../native-engine.mjs';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** A line of `cargo build --message-format=json-render-diagnostics`. */
const built = (name: string, kind: string, ...filenames: string[]): string =>
  JSON.stringify({ reason: 'compiler-artifact', target: { kind: [kind], name }, filenames, fresh: true });

const before = [
  'a macro that prints what it likes',
  JSON.stringify({ reason: 'build-script-executed', package_id: 'libc' }),
  built('build-script-build', 'custom-build', '/there/release/build/pelorus-node-1/build-script-build'),
  built('pelorus_engine', 'lib', '/there/release/libpelorus_engine.rlib'),
];
const after = JSON.stringify({ reason: 'build-finished', success: true });

test.each([
  ['the folder of builds is another', '/there/release/libpelorus_node.so'],
  ['the target has a folder of its own', '/there/aarch64-apple-darwin/release/libpelorus_node.dylib'],
])('the engine is taken from where cargo put it where %s', (_where, library) => {
  expect(libraryIn([...before, built('pelorus_node', 'cdylib', library), after])).toBe(library);
});

test('the library to load is chosen among its files on Windows', () => {
  const files = ['pelorus_node.dll.lib', 'pelorus_node.dll', 'pelorus_node.pdb'].map((name) => `D:\\there\\${name}`);
  expect(libraryIn([...before, built('pelorus_node', 'cdylib', ...files), after])).toBe('D:\\there\\pelorus_node.dll');
});

test('a build without a library is told', () => {
  expect(() => libraryIn([...before, after])).toThrow('cargo built pelorus-node, but names no shared library of it.');
});

test.each(['release', 'tests'] as const)(
  'an add-on that the environment names is taken in place of a %s build',
  async (purpose) => {
    const print = vi.spyOn(console, 'log').mockImplementation(() => {});
    vi.stubEnv('PELORUS_NATIVE_PATH', '/elsewhere/pelorus.node');

    await ensureNativeEngine(purpose);

    expect(print.mock.calls.flat()).toEqual([
      '  native engine  /elsewhere/pelorus.node, which PELORUS_NATIVE_PATH names',
    ]);
    expect(process.env.PELORUS_NATIVE_PATH).toBe('/elsewhere/pelorus.node');
  },
);
