/** Values of labels by their names. */
export type Labels = Readonly<Record<string, string>>;

/** A number of a metric; its name is the metric's when absent. */
export interface Sample {
  readonly metricName?: string;
  readonly labels?: Labels;
  readonly value: number;
}

/** A metric whose numbers are kept elsewhere and read when somebody asks. */
export interface SampledMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: readonly Sample[];
}

/** Latencies of one series of a histogram, which become its lines. */
export interface Latencies {
  readonly labels: Labels;
  readonly seconds: number;
  /** By group: not summed up, one more than there are bounds. */
  readonly counts: readonly number[];
}

/** The lines of a histogram: groups summed up as Prometheus has them, the sum and the count. */
export function histogramSamples(name: string, bounds: readonly number[], series: readonly Latencies[]): Sample[] {
  return series.flatMap(({ labels, seconds, counts }) => {
    let sum = 0;
    const buckets = counts.map((count, at): Sample => {
      sum += count;
      const le = at < bounds.length ? String(bounds[at]) : '+Inf';
      return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: sum };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: seconds },
      { metricName: `${name}_count`, labels, value: sum },
    ];
  });
}

export const gauge = (name: string, help: string, samples: readonly Sample[]): SampledMetric => ({
  ...{ name, help, type: 'gauge', samples },
});

export const counter = (name: string, help: string, samples: readonly Sample[]): SampledMetric => ({
  ...{ name, help, type: 'counter', samples },
});
