import { killTest } from './kills/kill-test.js';
import { serverPlan } from './kills/server-plan.js';

killTest('a server', serverPlan, 30);
