/** Failed tests that are named in the closing lines, at most, of each suite. */
const TOLD = 20;

/** The result of a suite. `broken` says why it could not run to its end; that too is a failure. */
export class Tally {
  passed = 0;
  failed = 0;
  skipped = 0;
  /** @type {string[]} one line for each suite that failed */
  troubles = [];
  /** @type {string[]} kinds of tests that were skipped, each with the reason */
  leftOut = [];
  /** @type {string[]} tests that failed at first and passed when they ran again, with what they said */
  unstable = [];

  /**
   * @param {string} suite
   * @param {{ passed: number, failed: number, skipped?: number, broken?: string, failures?: string[],
   *   troubles?: string[], unstable?: string[] }} result `failures` names the tests that failed, the first of which are
   *   told; `troubles` takes the place of all that this would tell
   */
  add(suite, { passed, failed, skipped = 0, broken, failures = [], troubles, unstable = [] }) {
    this.passed += passed;
    this.failed += failed;
    this.skipped += skipped;
    this.unstable.push(...unstable.map((test) => `${suite}: ${test}`));
    if (troubles) this.troubles.push(...troubles);
    else if (failed > 0) {
      this.troubles.push(`${suite}: ${failed} failed`);
      this.troubles.push(...failures.slice(0, TOLD).map((failure) => `${suite}: ${failure}`));
    }
    if (broken) {
      this.failed += 1;
      this.troubles.push(`${suite}: ${broken}`);
    }
  }

  get ok() {
    return this.failed === 0;
  }

  /** The closing line: counts of tests over all suites. */
  toString() {
    const skipped = this.skipped > 0 ? `, ${this.skipped} skipped` : '';
    return `${this.passed} passed, ${this.failed} failed${skipped}`;
  }
}

/**
 * Settles a suite from what its runner counted and how it exited. A runner that exits badly without
 * naming a failed test, or well without having run one, did not run the suite.
 *
 * @param {{ passed: number, failed: number, skipped?: number }} counts
 * @param {number} exitCode
 */
export function settle(counts, exitCode) {
  if (exitCode !== 0 && counts.failed === 0)
    return { ...counts, broken: `the runner ended with exit code ${exitCode}` };
  if (exitCode === 0 && counts.passed === 0) return { ...counts, broken: 'no test ran' };
  return counts;
}
