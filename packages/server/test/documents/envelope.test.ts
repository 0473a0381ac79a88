import { UnprocessableError } from '@pelorus/contract';
import { describe, expect, test } from 'vitest';
import { readEnvelope } from '../../src/documents/envelope.js';

const read = (body: unknown) => readEnvelope(Buffer.from(JSON.stringify(body)));

test('the members that the official client always sends are taken', async () => {
  const body = {
    documents: [],
    useExistingTensors: false,
    useGivenTensors: false,
    imageDownloadHeaders: {},
    mappings: null,
    modelAuth: null,
  };
  expect(await read(body)).toEqual(body);
});

test('left out members have their defaults', async () => {
  expect(await read({ documents: [] })).toEqual({
    documents: [],
    useExistingTensors: false,
    useGivenTensors: false,
  });
});

describe('a body without the documented shape is a 422', () => {
  test.each<[unknown, string]>([
    [null, 'body: field required'],
    [[{ a: 1 }], 'body: value is not a valid dict'],
    [{}, 'body.documents: field required'],
    [{ documents: {} }, 'body.documents: value is not a valid sequence'],
    [{ documents: null }, 'body.documents: none is not an allowed value'],
    [{ documents: [], clientBatchSize: 'all' }, 'body.clientBatchSize: value is not a valid integer'],
    [{ documents: [], tensor_fields: [] }, 'body.tensor_fields: extra fields not permitted'],
    [{ documents: [], tensorFields: 'a' }, 'body.tensorFields: value is not a valid list'],
    [{ documents: [], useExistingTensors: 'perhaps' }, 'body.useExistingTensors: value could not be parsed'],
    [{ documents: [], imageDownloadHeaders: [] }, 'body.imageDownloadHeaders: value is not a valid dict'],
    [{ documents: [], mappings: [] }, 'body.mappings: value is not a valid dict'],
    [{ documents: [], modelAuth: { hf: {} } }, 'body.modelAuth.hf.token: field required'],
    [
      { documents: [], imageDownloadHeaders: { a: 'b' }, mediaDownloadHeaders: { a: 'b' } },
      'Cannot set both imageDownloadHeaders',
    ],
    [
      { documents: [], imageDownloadThreadCount: 2, mediaDownloadThreadCount: 2 },
      'Cannot set both imageDownloadThreadCount',
    ],
  ])('%j', async (body, message) => {
    await expect(read(body)).rejects.toThrow(UnprocessableError);
    await expect(read(body)).rejects.toThrow(message);
  });
});

describe('credentials name exactly one place', () => {
  test.each<[object, string]>([
    [{}, 'Missing authentication object.'],
    [{ s3: null, hf: null }, 'Missing authentication object.'],
    [
      { s3: { aws_access_key_id: 'a', aws_secret_access_key: 'b' }, hf: { token: 'c' } },
      'More than one model authentication was provided.',
    ],
  ])('%j is a 400', async (modelAuth, message) => {
    const reading = read({ documents: [], modelAuth });
    await expect(reading).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(message),
    });
  });

  test('one of them is enough', async () => {
    expect((await read({ documents: [], modelAuth: { hf: { token: 'c' } } })).modelAuth).toEqual({
      hf: { token: 'c' },
    });
  });
});
