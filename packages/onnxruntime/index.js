// Stands for onnxruntime-node in an installed Pelorus: the same files, from a package that has them for this platform
// alone. A clone has onnxruntime-node itself.
import { loadPlatformPart } from '@pelorus/node/platform';

const part = {
  prefix: '@pelorus/onnxruntime',
  title: 'ONNX Runtime',
  code: 'onnxruntime',
  advice: '; where there is none for this platform, use vectors of your own or a random/* model',
};

/** One that is not there fails as a model is opened. */
export const { InferenceSession, Tensor } = loadPlatformPart(part, (failure) => ({
  InferenceSession: {
    create: async () => {
      throw failure();
    },
  },
  Tensor: class Tensor {
    constructor() {
      throw failure();
    }
  },
}));
