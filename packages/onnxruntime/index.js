// Stands for onnxruntime-node in an installed Pelorus: the same files, from a package that has them for this platform
// alone. A clone has onnxruntime-node itself.
import { loadPlatformPackage, platformName } from '@pelorus/node/platform';

const PREFIX = '@pelorus/onnxruntime';

const name = `${PREFIX}-${platformName()}`;

/** The runtime; one that is not there, or does not load, fails as a model is opened: without models of it all is well. */
function load() {
  try {
    return loadPlatformPackage(PREFIX, name) ?? absent(missing);
  } catch (cause) {
    return absent(() => damaged(cause));
  }
}

function absent(failure) {
  return {
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
  };
}

function missing() {
  const message =
    `no ONNX Runtime for ${process.platform} ${process.arch}: the package ${name} is not ` +
    'installed. Install it in the version of pelorus; where there is none for this platform, use vectors of your own ' +
    'or a random/* model';
  return Object.assign(new Error(message), { code: 'onnxruntime_missing' });
}

function damaged(cause) {
  const message =
    `the ONNX Runtime of the package ${name} does not load: ${cause.message}. Install the package anew, in the ` +
    'version of pelorus';
  return Object.assign(new Error(message, { cause }), { code: 'onnxruntime_damaged' });
}

export const { InferenceSession, Tensor } = load();
