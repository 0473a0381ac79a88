import type { DeviceWork, Inference, LoadedRow } from '@pelorus/inference';
import { counter, gauge, type Sample, type SampledMetric } from './samples.js';

/** The part of an inference that metrics tell of. */
export type ModelFigures = Pick<Inference, 'modelBytes' | 'work' | 'queryCache'> & {
  loaded(): readonly LoadedRow[];
};

/** The metrics of models: what is loaded, what is computed, and what is known. */
export function modelMetrics(inference: ModelFigures): SampledMetric[] {
  const loaded = inference.loaded().map(({ model_name: model, model_device: device, encoder, precision }) => ({
    labels: { model, device, encoder, precision },
    value: 1,
  }));
  const work = inference.work();
  const ofWork = (value: (one: DeviceWork) => number) =>
    work.map((one): Sample => ({ labels: { device: one.device, encoder: one.encoder }, value: value(one) }));
  const { hits, misses, entries, bytes } = inference.queryCache();
  return [
    gauge('pelorus_model_loaded', 'A model in memory', loaded),
    gauge('pelorus_model_memory_bytes', 'Memory of all models', [{ value: inference.modelBytes() }]),
    gauge(
      'pelorus_model_waiting_inputs',
      'Texts and pictures that wait for a model',
      ofWork(({ waiting }) => waiting),
    ),
    counter(
      'pelorus_model_batches_total',
      'Batches that models computed',
      ofWork(({ batches }) => batches),
    ),
    counter(
      'pelorus_model_inputs_total',
      'Texts and pictures in them',
      ofWork(({ inputs }) => inputs),
    ),
    counter(
      'pelorus_model_tokens_total',
      'Tokens in them',
      ofWork(({ tokens }) => tokens),
    ),
    counter('pelorus_query_cache_hits_total', 'Texts of queries whose vectors were known', [{ value: hits }]),
    counter('pelorus_query_cache_misses_total', 'Texts of queries whose vectors were not', [{ value: misses }]),
    gauge('pelorus_query_cache_vectors', 'Vectors of queries that are kept', [{ value: entries }]),
    gauge('pelorus_query_cache_bytes', 'Memory of these', [{ value: bytes }]),
  ];
}
