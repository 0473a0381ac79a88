import type { Bench } from '../bench.ts';
import { definition } from '../definition.ts';
import { type EndpointPlan, endpointRows } from './endpoint.ts';
import { type EventsPlan, eventRows } from './events.ts';
import { shopFigureRows } from './figure-rows.ts';

/** The cost of the hosted form beside the search service alone, and its speed with events. */
export const hosted: Bench = async ({ quick, say }) => {
  const plan = definition<EndpointPlan & EventsPlan>('hosted', quick);
  const rows = [
    ...(await endpointRows(plan, say)),
    ...(await eventRows(plan, say)),
    ...(await shopFigureRows(plan, say)),
  ];
  return { rows, notes: ['clients and servers share the machine'], dataset: plan };
};
