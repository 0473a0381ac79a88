// Stands for onnxruntime-node in an installed Pelorus: the same files, from a package that has them for this platform
// alone. A clone has onnxruntime-node itself.
import { loadPlatformPart } from '@pelorus/node/platform';

const part = {
  prefix: '@pelorus/onnxruntime',
  title: 'ONNX Runtime',
  code: 'onnxruntime',
  advice:
    '. Without it there are the models that the encoder of Pelorus knows, such as hf/all-MiniLM-L6-v2, vectors of your own and random/* models',
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
