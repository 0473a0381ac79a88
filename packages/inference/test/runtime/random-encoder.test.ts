import { RandomEncoder } from '../../src/runtime/random-encoder.js';
import { describeEncoder } from './encoder-conformance.js';

describeEncoder('RandomEncoder', { open: async () => new RandomEncoder(32, 'cpu'), failing: null });
