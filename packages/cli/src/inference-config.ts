import { type InferenceConfig, readModelFile } from '@pelorus/inference';
import type { Config } from '@pelorus/server/config';

/** The part of the settings that is about models, with the credentials that the environment has for buckets. */
export function inferenceConfig(config: Config, env: NodeJS.ProcessEnv = process.env): InferenceConfig {
  const { modelsFile, modelDir, hub, modelNetworks, s3Endpoint, s3Region, mediaNetworks, ffmpeg, modelMemoryMax } =
    config;
  const { encoder, encoderPrecision, vectoriseBatchMax, inferenceCacheSize, inferenceCacheType, inferenceThreads } =
    config;
  return {
    ...(modelDir !== '' && { modelDir }),
    ...(modelsFile !== '' && { modelFile: readModelFile(modelsFile) }),
    hubUrl: hub === 'none' ? null : hub,
    allowedNetworks: modelNetworks ?? [],
    ...(s3Endpoint !== '' && { s3Endpoint }),
    s3Region,
    s3Credentials: ambientCredentials(env),
    mediaNetworks: mediaNetworks ?? [],
    ffmpegCommand: ffmpeg === 'none' ? null : ffmpeg,
    modelMemory: modelMemoryMax,
    cudaModelMemory: config.cudaModelMemoryMax,
    encoder,
    encoderPrecision,
    batchInputsMax: vectoriseBatchMax,
    queryCacheCount: inferenceCacheSize,
    queryCachePolicy: inferenceCacheType,
    ...(inferenceThreads !== null && { threads: inferenceThreads }),
  };
}

/** As the tools of Amazon read them; they are secrets, and so no flags. Null where they are not whole. */
function ambientCredentials({
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
  AWS_SESSION_TOKEN: sessionToken,
}: NodeJS.ProcessEnv): Required<InferenceConfig>['s3Credentials'] {
  if (!accessKeyId || !secretAccessKey) return null;
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
}
