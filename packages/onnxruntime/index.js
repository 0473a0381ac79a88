// Stands for onnxruntime-node in an installed Pelorus: the same files, from a package that has them for this platform
// alone. A clone has onnxruntime-node itself.
import { loadPlatformPackage, platformName } from '@pelorus/node/platform';

const PREFIX = '@pelorus/onnxruntime';

/** Fails as a model is opened and not before: a server without models of this runtime serves all the same. */
const absent = {
  InferenceSession: {
    create: async () => {
      throw missing();
    },
  },
  Tensor: class Tensor {
    constructor() {
      throw missing();
    }
  },
};

function missing() {
  const message =
    `no ONNX Runtime for ${process.platform} ${process.arch}: the package ${PREFIX}-${platformName()} is not ` +
    'installed. Install it in the version of pelorus; where there is none for this platform, use vectors of your own ' +
    'or a random/* model';
  return Object.assign(new Error(message), { code: 'onnxruntime_missing' });
}

export const { InferenceSession, Tensor } = loadPlatformPackage(PREFIX) ?? absent;
