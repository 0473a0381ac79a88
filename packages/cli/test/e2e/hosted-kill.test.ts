import { hostedPlan } from './kills/hosted-plan.js';
import { killTest } from './kills/kill-test.js';

killTest('the hosted form', hostedPlan, 10);
