import { readConfig } from '@pelorus/server';
import { expect, test } from 'vitest';
import { inferenceConfig } from '../../src/inference-config.js';

test('networks and addresses that an operator opens to models are passed on', () => {
  const env = {
    PELORUS_MODEL_DOWNLOAD_ALLOWED_NETWORKS: '10.1.0.0/16',
    PELORUS_S3_ENDPOINT: 'http://minio:9000',
    PELORUS_S3_REGION: 'eu-west-1',
  };
  expect(inferenceConfig(readConfig(env))).toMatchObject({
    allowedNetworks: ['10.1.0.0/16'],
    mediaNetworks: [],
    s3Endpoint: 'http://minio:9000',
    s3Region: 'eu-west-1',
  });
  const none = inferenceConfig(readConfig());
  expect(none).toMatchObject({ allowedNetworks: [], s3Region: 'us-east-1' });
  expect(none).not.toHaveProperty('s3Endpoint');
});

test('credentials of the environment are those for buckets, where they are whole', () => {
  const read = (env: NodeJS.ProcessEnv) => inferenceConfig(readConfig(), env).s3Credentials;
  const pair = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' };
  expect(read(pair)).toEqual({ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' });
  expect(read({ ...pair, AWS_SESSION_TOKEN: 'token' })).toMatchObject({ sessionToken: 'token' });
  for (const env of [{}, { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE' }, { ...pair, AWS_SECRET_ACCESS_KEY: '' }]) {
    expect(read(env)).toBeNull();
  }
});
