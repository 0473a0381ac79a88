import type { engine } from '@pelorus/contract';
import { counter, gauge, type Sample, type SampledMetric } from './samples.js';

/** The figures of an index, as far as metrics tell them. */
export interface IndexFigure {
  readonly name: string;
  readonly stats: engine.EngineStats;
}

/** Most indexes whose figures have a label of their own: Prometheus keeps a series for each of their values. */
export const LABELLED_INDEXES_MAX = 200;

/** The metrics of indexes, `count` in all. */
export function indexMetrics(count: number, figures: readonly IndexFigure[]): SampledMetric[] {
  const ofIndexes = (value: (stats: engine.EngineStats) => number) =>
    figures.map(({ name, stats }): Sample => ({ labels: { index: name }, value: value(stats) }));
  const memory = figures.flatMap(({ name, stats }) =>
    Object.entries(stats.memory).map(([owner, value]) => ({ labels: { index: name, owner }, value })),
  );
  return [
    gauge('pelorus_indexes', 'Indexes', [{ value: count }]),
    gauge(
      'pelorus_index_documents',
      'Documents of an index',
      ofIndexes(({ numberOfDocuments }) => numberOfDocuments),
    ),
    gauge(
      'pelorus_index_vectors',
      'Vectors of an index, unreclaimed ones among them',
      ofIndexes(({ numberOfVectors }) => numberOfVectors),
    ),
    gauge('pelorus_index_memory_bytes', 'Memory of an index by what it is for', memory),
    ...workMetrics(figures),
    ...auditMetrics(figures),
  ];
}

/** The work that waits for indexes, and what they have done; nothing of those that are on other machines. */
function workMetrics(figures: readonly IndexFigure[]): SampledMetric[] {
  const here = figures.flatMap(({ name, stats: { work } }) =>
    work === null ? [] : [{ labels: { index: name }, work }],
  );
  const of = (value: (work: engine.IndexWork) => number) =>
    here.map(({ labels, work }): Sample => ({ labels, value: value(work) }));
  const cache = (filter: keyof engine.IndexWork, score: keyof engine.IndexWork) =>
    here.flatMap(({ labels, work }) => [
      { labels: { ...labels, cache: 'filters' }, value: work[filter] },
      { labels: { ...labels, cache: 'scores' }, value: work[score] },
    ]);
  return [
    gauge(
      'pelorus_index_queued_writes',
      'Writes that wait for the writer of an index',
      of(({ queuedWrites }) => queuedWrites),
    ),
    gauge(
      'pelorus_index_unlinked_vectors',
      'Vectors that wait to be linked, and that searches scan meanwhile',
      of(({ unlinkedVectors }) => unlinkedVectors),
    ),
    gauge(
      'pelorus_index_vectors_to_relink',
      'Vectors that were linked in haste, and wait to be linked better',
      of(({ vectorsToRelink }) => vectorsToRelink),
    ),
    gauge(
      'pelorus_index_unflushed_documents',
      'Documents whose words are in memory alone',
      of(({ unflushedDocuments }) => unflushedDocuments),
    ),
    gauge(
      'pelorus_index_text_segments',
      'Files of words that each search by words reads',
      of(({ textSegments }) => textSegments),
    ),
    gauge(
      'pelorus_index_store_bytes',
      'Bytes on the disk of the documents of an index',
      of(({ storeBytes }) => storeBytes),
    ),
    counter(
      'pelorus_index_compactions_total',
      'Times that the file of documents gave its free pages back',
      of(({ compactions }) => compactions),
    ),
    counter('pelorus_index_cache_hits_total', 'Uses of what was known', cache('filterHits', 'scoreHits')),
    counter('pelorus_index_cache_misses_total', 'Uses of what was looked up', cache('filterMisses', 'scoreMisses')),
  ];
}

/** The audits of indexes; nothing of those that are on other machines. */
function auditMetrics(figures: readonly IndexFigure[]): SampledMetric[] {
  const audited = figures.flatMap(({ name, stats: { audit } }) =>
    audit === null ? [] : [{ labels: { index: name }, audit }],
  );
  const of = (value: (audit: engine.AuditFigures) => number) =>
    audited.map(({ labels, audit }): Sample => ({ labels, value: value(audit) }));
  const differences = audited.flatMap(({ labels, audit }) =>
    Object.entries(audit.differences).map(([structure, value]) => ({ labels: { ...labels, structure }, value })),
  );
  return [
    counter(
      'pelorus_audit_rounds_total',
      'Audits that passed over all documents of an index',
      of(({ rounds }) => rounds),
    ),
    counter(
      'pelorus_audit_documents_total',
      'Documents that audits compared with what was derived from them',
      of(({ documents }) => documents),
    ),
    counter(
      'pelorus_audit_differences_total',
      'Documents of which a structure differed from what is stored',
      differences,
    ),
  ];
}
