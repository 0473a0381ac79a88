import { expect, test } from 'vitest';
import { fromRoot } from '../paths.mjs';
import { countCargoTests } from '../suites/cargo-test.mjs';
import { readChecks, readTests } from '../suites/npm-script.mjs';
import { withSecondAttempt } from '../suites/second-attempt.mjs';
import { settle, Tally } from '../suites/tally.mjs';
import { countVitestReport } from '../suites/vitest.mjs';

test('the closing lines of all test binaries of cargo are summed', () => {
  const lines = [
    'running 3 tests',
    'test search::a_query_finds ... ok',
    'test search::a_filter_holds ... FAILED',
    'test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s',
    '   Doc-tests pelorus_rank',
    'test result: FAILED. 4 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 1.20s',
    'error: test failed, to rerun pass `--doc`',
  ];
  expect(countCargoTests(lines)).toEqual({
    passed: 7,
    failed: 2,
    skipped: 1,
    failures: ['search::a_filter_holds'],
  });
});

test('a test file that could not be loaded counts as a failed test', () => {
  const report = {
    numPassedTests: 5,
    numFailedTests: 1,
    numPendingTests: 1,
    numTodoTests: 0,
    testResults: [
      { name: fromRoot('a.test.ts'), status: 'passed', assertionResults: [{ status: 'passed' }] },
      {
        name: fromRoot('b.test.ts'),
        status: 'failed',
        assertionResults: [
          { status: 'passed' },
          { status: 'failed', fullName: 'one is two', failureMessages: ['expected 1 to be 2\n    at b.test.ts:3'] },
        ],
      },
      { name: fromRoot('c.test.ts'), status: 'failed', message: 'no such module', assertionResults: [] },
    ],
  };
  expect(countVitestReport(report)).toEqual({
    passed: 5,
    failed: 2,
    skipped: 1,
    failures: ['b.test.ts > one is two: expected 1 to be 2', 'c.test.ts: no such module'],
    again: [fromRoot('b.test.ts'), fromRoot('c.test.ts')],
  });
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

test('failed tests are named, the first of many', () => {
  const tally = new Tally();
  const failures = Array.from({ length: 30 }, (_, i) => `test ${i}`);
  tally.add('TypeScript', { passed: 1, failed: 30, failures });
  expect(tally.troubles).toHaveLength(21);
  expect(tally.troubles.slice(0, 2)).toEqual(['TypeScript: 30 failed', 'TypeScript: test 0']);
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

test('a few tests that failed run again, and those that pass are told', async () => {
  const first = { passed: 8, failed: 2, skipped: 1, failures: ['a: one', 'b: two'], again: ['a', 'b'] };
  const asked: (readonly string[] | undefined)[] = [];
  const runs = (second: object) => (again?: string[]) => {
    asked.push(again);
    return Promise.resolve(again === undefined ? first : { passed: 5, failed: 0, ...second });
  };
  const result = await withSecondAttempt(runs({}));
  expect(result).toMatchObject({ passed: 10, failed: 0, skipped: 1, failures: [], unstable: first.failures });
  expect(asked).toEqual([undefined, ['a', 'b']]);
  const tally = new Tally();
  tally.add('TypeScript', result);
  expect(tally.ok).toBe(true);
  expect(tally.unstable).toEqual(['TypeScript: a: one', 'TypeScript: b: two']);
  for (const second of [{ failed: 1 }, { broken: 'the runner ended' }, { passed: 1 }]) {
    expect(await withSecondAttempt(runs(second))).toBe(first);
  }
});

test('many failed tests, and a suite that could not run, have no second attempt', async () => {
  for (const result of [
    { passed: 8, failed: 4, again: ['a', 'b', 'c', 'd'] },
    { passed: 8, failed: 1, again: ['a'], broken: 'no test ran' },
    { passed: 8, failed: 0, again: [] },
  ]) {
    let runs = 0;
    const run = () => {
      runs += 1;
      return Promise.resolve(result);
    };
    expect(await withSecondAttempt(run)).toBe(result);
    expect(runs).toBe(1);
  }
});
