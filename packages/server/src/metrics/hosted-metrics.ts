import type { EventCounts } from '@pelorus/events';
import type { IndexState, ProcessFigures } from '@pelorus/hosted';
import { counter, gauge, type SampledMetric } from './samples.js';

/** The states that hosted indexes stay in or pass; one that is deleted is not counted. */
const STATES: readonly IndexState[] = ['CREATING', 'READY', 'MODIFYING', 'DELETING', 'FAILED'];

/** The figures that a gateway has beside those of any server. */
export interface HostedFigures {
  readonly processes: ProcessFigures;
  readonly events: EventCounts;
  readonly droppedSearches: number;
}

/** The metrics of the processes of hosted indexes, and of the events of shoppers. */
export function hostedMetrics({ processes, events, droppedSearches }: HostedFigures): SampledMetric[] {
  const { states, serving, ends } = processes;
  const { accepted, duplicates, rejected, refused, waiting } = events;
  return [
    gauge(
      'pelorus_hosted_indexes',
      'Hosted indexes by state',
      STATES.map((state) => ({ labels: { state }, value: states.get(state) ?? 0 })),
    ),
    gauge('pelorus_hosted_processes_serving', 'Processes of indexes that can be called', [{ value: serving }]),
    counter('pelorus_hosted_process_ends_total', 'Processes of indexes that ended and should have gone on', [
      { value: ends },
    ]),
    counter(
      'pelorus_events_total',
      'Events of shoppers that came, by what became of them',
      Object.entries({ accepted, duplicates, rejected, refused }).map(([outcome, value]) => ({
        ...{ labels: { outcome }, value },
      })),
    ),
    gauge('pelorus_events_waiting', 'Events that wait to be stored', [{ value: waiting }]),
    counter('pelorus_events_dropped_searches_total', 'Searches that were left out of the figures of shops', [
      { value: droppedSearches },
    ]),
  ];
}
