import { soakTest } from './kills/soak-test.js';

/** Far beyond what a slow machine takes: what hangs meets it. */
const LIMIT_MS = 3_600_000;

soakTest(2, 20_261_129, LIMIT_MS);
