import { expect, test } from 'vitest';
import { countCargoTests } from '../suites/cargo-test.mjs';
import { readChecks, readTests } from '../suites/npm-script.mjs';
import { settle, Tally } from '../suites/tally.mjs';
import { countVitestReport } from '../suites/vitest.mjs';

test('the closing lines of all test binaries of cargo are summed', () => {
  const lines = [
    'running 3 tests',
    'test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s',
    '   Doc-tests pelorus_rank',
    'test result: FAILED. 4 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 1.20s',
    'error: test failed, to rerun pass `--doc`',
  ];
  expect(countCargoTests(lines)).toEqual({ passed: 7, failed: 2, skipped: 1 });
});

test('a test file that could not be loaded counts as a failed test', () => {
  const report = {
    numPassedTests: 5,
    numFailedTests: 1,
    numPendingTests: 1,
    numTodoTests: 0,
    testResults: [
      { status: 'passed', assertionResults: [{ status: 'passed' }] },
      { status: 'failed', assertionResults: [{ status: 'failed' }] },
      { status: 'failed', assertionResults: [] },
    ],
  };
  expect(countVitestReport(report)).toEqual({ passed: 5, failed: 2, skipped: 1 });
});

test('a runner that exits badly without naming a failed test broke', () => {
  expect(settle({ passed: 9, failed: 0 }, 101)).toMatchObject({ broken: 'the runner ended with exit code 101' });
});

test('a runner that ran nothing broke, however it exited', () => {
  expect(settle({ passed: 0, failed: 0 }, 0)).toMatchObject({ broken: 'no test ran' });
});

test('failed tests explain a bad exit by themselves', () => {
  expect(settle({ passed: 1, failed: 2 }, 1)).toEqual({ passed: 1, failed: 2 });
});

test('a suite that cannot run is a failure in the closing line', () => {
  const tally = new Tally();
  tally.add('Rust', { passed: 10, failed: 0, skipped: 0 });
  tally.add('end to end', { passed: 0, failed: 0, broken: 'no test ran' });
  expect(tally.toString()).toBe('10 passed, 1 failed');
  expect(tally.ok).toBe(false);
  expect(tally.troubles).toEqual(['end to end: no test ran']);
});

test('skipped tests are told only when there are some', () => {
  const tally = new Tally();
  tally.add('Rust', { passed: 2, failed: 0, skipped: 1 });
  expect(tally.toString()).toBe('2 passed, 0 failed, 1 skipped');
});

test('the closing line of npm test is read, with what failed', () => {
  const lines = [
    '3 passed, 0 failed',
    'and the last one counts',
    '',
    'FAILED  Rust: 2 failed',
    '7 passed, 2 failed, 1 skipped',
  ];
  expect(readTests(lines, 1)).toEqual({ passed: 7, failed: 2, skipped: 1, troubles: ['Rust: 2 failed'] });
});

test.each([
  [1, 'the runner ended with exit code 1'],
  [0, 'no test ran'],
])('an npm test that ends with code %d without a closing line broke', (exitCode, broken) => {
  expect(readTests(['Setting up Pelorus'], exitCode)).toMatchObject({ passed: 0, failed: 0, broken });
});

test('a check that found faults is a failure in the closing line', () => {
  const tally = new Tally();
  tally.add('npm test', readTests(['5 passed, 0 failed'], 0));
  tally.add(
    'npm run lint',
    readChecks(['== Rust lints: FAILED in 3 s', 'FAILED  Rust lints', 'FAILED  OpenAPI lints'], 1),
  );
  expect(tally.toString()).toBe('5 passed, 2 failed');
  expect(tally.troubles).toEqual(['Rust lints', 'OpenAPI lints']);
});

test('checks that are clean add nothing, and checks that could not run broke', () => {
  expect(readChecks(['== Rust lints: clean in 3 s'], 0)).toMatchObject({ passed: 0, failed: 0, troubles: [] });
  expect(readChecks([], 1)).toMatchObject({ failed: 0, broken: 'the runner ended with exit code 1' });
});
