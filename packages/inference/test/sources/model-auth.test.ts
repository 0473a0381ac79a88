import { expect, test } from 'vitest';
import { parseModelAuth } from '../../src/sources/model-auth.js';

const s3 = { aws_access_key_id: 'id', aws_secret_access_key: 'key' };

test('the hub has a token, S3 a key with or without a session', () => {
  expect(parseModelAuth({ hf: { token: 't' } })).toEqual({ hubToken: 't', s3: null });
  expect(parseModelAuth({ s3 })).toEqual({ hubToken: null, s3: { accessKeyId: 'id', secretAccessKey: 'key' } });
  expect(parseModelAuth({ s3: { ...s3, aws_session_token: 's' }, hf: null }).s3).toMatchObject({ sessionToken: 's' });
});

test('a service has a key', () => {
  expect(parseModelAuth({ service: { key: 'k' } })).toEqual({ hubToken: null, s3: null, serviceKey: 'k' });
  expect(parseModelAuth({ hf: { token: 't' } }).serviceKey).toBeUndefined();
});

test('nothing means no credentials', () => {
  expect(parseModelAuth(undefined)).toEqual({ hubToken: null, s3: null });
  expect(parseModelAuth(null)).toEqual({ hubToken: null, s3: null });
});

test.each([
  [{}, 'Missing authentication object'],
  [{ s3: null, hf: null }, 'Missing authentication object'],
  [{ s3, hf: { token: 't' } }, 'More than one model authentication'],
  [{ s3, service: { key: 'k' } }, 'More than one model authentication'],
  [{ service: {} }, 'modelAuth.service.key'],
  [{ service: { key: 'a\r\nhost: b' } }, 'modelAuth.service.key'],
  [{ hf: {} }, 'modelAuth.hf.token'],
  [{ hf: { token: 'a\r\nhost: b' } }, 'modelAuth.hf.token'],
  [{ s3: { aws_access_key_id: 'id' } }, 'modelAuth.s3.aws_secret_access_key'],
])('%j is refused without repeating what is in it', (auth, problem) => {
  expect(() => parseModelAuth(auth)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  expect(() => parseModelAuth(auth)).toThrow(problem);
});
