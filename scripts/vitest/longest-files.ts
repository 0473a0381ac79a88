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
  endToEnd: [
    'packages/cli/test/e2e/soak.test.ts',
    'packages/cli/test/e2e/kill.test.ts',
    'packages/cli/test/e2e/hosted-kill.test.ts',
    'packages/cli/test/e2e/schemathesis.test.ts',
    'packages/cli/test/e2e/schemathesis-hosted.test.ts',
    'packages/cli/test/e2e/generated-clients.test.ts',
    'packages/pelorus/test/e2e/packages.test.ts',
    'packages/cli/test/e2e/integrations.test.ts',
    'packages/cli/test/e2e/keys.test.ts',
    'packages/cli/test/e2e/joint-models.test.ts',
    'packages/cli/test/e2e/hosted-data.test.ts',
    'packages/cli/test/e2e/stop.test.ts',
    'packages/cli/test/e2e/cluster-servers.test.ts',
  ],
} as const;
