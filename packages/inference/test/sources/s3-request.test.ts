import { expect, test } from 'vitest';
import { s3Request } from '../../src/sources/s3-request.js';

const place = { endpoint: 'https://s3.eu-west-1.amazonaws.com/', region: 'eu-west-1' };
const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' };

test('an object is addressed path-style, with its name escaped', async () => {
  const { url, headers } = await s3Request(place, 'models', 'a b/m+1.zip', null);
  expect(url).toBe('https://s3.eu-west-1.amazonaws.com/models/a%20b/m%2B1.zip');
  expect(headers).toEqual({});
});

test('with credentials the request is signed for its region and date', async () => {
  const { headers } = await s3Request(place, 'models', 'm.zip', { ...credentials, sessionToken: 'token' });
  expect(headers.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/s3\/aws4_request, SignedHeaders=\S*host\S*, Signature=[0-9a-f]{64}$/,
  );
  expect(headers['x-amz-security-token']).toBe('token');
  expect(JSON.stringify(headers)).not.toContain('secret');
});
