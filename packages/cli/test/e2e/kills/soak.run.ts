import { soakTest } from './soak-test.js';

/** `npm run check:soak` gives these. */
const MINUTES = Number(process.env.PELORUS_SOAK_MINUTES ?? 2);
const SEED = Number(process.env.PELORUS_SOAK_SEED ?? 20_261_129);

soakTest(MINUTES, SEED, 0);
