/** The files that take longest in a run of CI, the longest first. `runVitest` leaves the times of all in target/setup. */
export const longestFiles = {
  unit: [
    'packages/server/test/hosted/damaged-files.test.ts',
    'packages/engine/test/conformance.test.ts',
    'packages/events/test/figures.test.ts',
    'packages/events/test/damage.test.ts',
    'packages/opensearch/test/conformance.test.ts',
    'packages/server/test/conformance/conformance.test.ts',
    'packages/server/test/events/events.test.ts',
    'packages/engine/test/attached-engine.test.ts',
  ],
} as const;
