import { expect } from 'vitest';
import type { Exchange } from './exchange.js';

const health = {
  status: expect.any(String),
  inference: { status: 'green' },
  backend: { status: expect.any(String), memoryIsAvailable: true, storageIsAvailable: true },
};

export const machine: Exchange[] = [
  { title: 'greeting', request: 'GET /', status: 200, answer: { version: '2.26.0', pelorus: expect.any(String) } },
  { title: 'health', request: 'GET /health', status: 200, answer: health },
  {
    title: 'processor',
    request: 'GET /device/cpu',
    status: 200,
    answer: { cpu_usage_percent: expect.stringMatching(/^\d+\.\d %$/) },
  },
  { title: 'slow requests', request: 'GET /slow-requests', status: 200, answer: { slowRequests: expect.any(Array) } },
  { title: 'lines of the log', request: 'GET /log', status: 200, answer: { logLevel: 'silent', lines: [] } },
  { title: 'lines of no level', request: 'GET /log?level=loud', status: 422 },
  { title: 'no line of the log', request: 'GET /log?limit=0', status: 422 },
  {
    title: 'work that waits',
    request: 'GET /queues',
    status: 200,
    answer: {
      requests: ['search', 'add', 'update'].map((load) => ({ load, underWay: 0 })),
      models: ['pelorus', 'onnxruntime', 'service'].map((encoder) => ({ device: 'cpu', encoder, waiting: 0 })),
      indexes: expect.any(Array),
      backups: [],
    },
  },
  {
    title: 'backups',
    request: 'GET /backups',
    status: 200,
    answer: { place: expect.stringContaining('backups'), backups: [] },
  },
  {
    title: 'a backup of an index that is not there',
    request: 'POST /backups',
    body: { indexes: ['nope'] },
    status: 404,
    code: 'index_not_found',
  },
  { title: 'a backup to a place of the caller', request: 'POST /backups', body: { to: '/tmp' }, status: 422 },
  {
    title: 'a backup of indexes beyond the limit of a body',
    request: 'POST /backups',
    body: { indexes: ['x'.repeat(1_100_000)] },
    status: 413,
  },
  {
    title: 'an index of a name beyond the limit of a body',
    request: 'POST /backups/nope/restore',
    body: { indexName: 'x'.repeat(1_100_000) },
    status: 413,
  },
  { title: 'a backup that is not there', request: 'GET /backups/nope', status: 404, code: 'backup_not_found' },
  { title: 'its end', request: 'DELETE /backups/nope', status: 404, code: 'backup_not_found' },
  { title: 'its reading', request: 'POST /backups/nope/verify', status: 404, code: 'backup_not_found' },
  {
    title: 'an index of it',
    request: 'POST /backups/nope/restore',
    body: { indexName: 'plain' },
    status: 404,
    code: 'backup_not_found',
  },
  { title: 'an index of no name', request: 'POST /backups/nope/restore', body: {}, status: 422 },
  {
    title: 'no GPU',
    request: 'GET /device/cuda',
    status: 400,
    code: 'hardware_compatability_error',
    message: 'CUDA is not available',
  },
  {
    title: 'models',
    request: 'GET /models',
    status: 200,
    answer: { models: [{ model_name: 'random/small', model_device: 'cpu', encoder: 'pelorus', precision: 'f32' }] },
  },
  {
    title: 'no model named',
    request: 'DELETE /models',
    status: 422,
    answer: { detail: [{ loc: ['query', 'model_name'] }] },
  },
  {
    title: 'a model that is on no device',
    request: 'DELETE /models?model_name=nope',
    status: 404,
    code: 'model_not_in_cache',
    message: 'The model_name `nope` is not cached or found',
  },
  { title: 'a model without a name', request: 'DELETE /models?model_name=', status: 404, code: 'model_not_in_cache' },
  {
    title: 'a model that is not loaded',
    request: 'DELETE /models?model_name=nope&model_device=cpu',
    status: 404,
    code: 'model_not_in_cache',
    message: 'The model_name `nope` device `cpu` is not cached or found',
  },
  {
    title: 'a model that is, by the start of its name',
    request: 'DELETE /models?model_name=random/sm&model_device=CPU',
    status: 200,
    answer: { result: 'success', message: 'successfully eject model_name `random/small` from device `cpu`' },
  },
  { title: 'it is gone', request: 'GET /models', status: 200, answer: { models: [] } },
  { title: 'a text for it', request: 'POST /indexes/plain/embed', body: { content: 'a' }, status: 200, answer: {} },
  {
    title: 'the model from every device',
    request: 'DELETE /models?model_name=random/small',
    status: 200,
    answer: { result: 'success', message: 'successfully eject model_name `random/small` from device `cpu`' },
  },
];
