import type { Streamed } from './engine.ts';
import type { Measurement } from './measurement.ts';
import { medianOf, medianRatio } from './rounds.ts';

/** Searches while documents are written, beside searches while none are. Changes the index. */
export async function measureStreaming({ ours, plan, controls, report, say }: Measurement): Promise<void> {
  const { writesPerSecond, seconds } = plan.streaming;
  const [still, busy]: [(Streamed | null)[], (Streamed | null)[]] = [[], []];
  for (let round = 0; round < plan.rounds; round += 1) {
    say(`searches with and without a writer, round ${round + 1} of ${plan.rounds}`);
    const stream = { op: 'streaming', seconds, k: plan.k } as const;
    still.push(await ours.ask<Streamed>({ ...stream, writesPerSecond: 0 }));
    busy.push(await ours.ask<Streamed>({ ...stream, writesPerSecond }));
    await controls.take();
  }
  const writes = `${writesPerSecond} writes/s`;
  const of = (streams: (Streamed | null)[], pick: (streamed: Streamed) => number | null) =>
    streams.map((streamed) => streamed && pick(streamed));
  const row = (metric: string, text: string, better: 'higher' | 'lower', pick: (streamed: Streamed) => number) => {
    const [mine, other] = [of(busy, pick), of(still, pick)];
    report.add({
      subject: { metric },
      text,
      better,
      ours: medianOf(mine),
      peer: 'without writes',
      theirs: medianOf(other),
      recall: medianOf(of(busy, ({ recall }) => recall)),
      ratio: better === 'higher' ? medianRatio(mine, other) : medianRatio(other, mine),
    });
  };
  row('streaming-qps', `QPS with ${writes}`, 'higher', ({ qps }) => qps);
  row('streaming-p50', `search p50 with ${writes} (us)`, 'lower', ({ p50Us }) => p50Us);
  row('streaming-p99', `search p99 with ${writes} (us)`, 'lower', ({ p99Us }) => p99Us);
}
