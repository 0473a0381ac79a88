// npm run setup: everything that start would set up, and nothing else.
import { runOrExplain } from './failure.mjs';
import { setUp } from './set-up.mjs';

await runOrExplain(() => setUp());
