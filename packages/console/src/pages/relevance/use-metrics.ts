import { useEffect, useState } from 'preact/hooks';
import { comparisonSteps, type MetricComparisons, type QueryComparison } from '../../relevance/comparison.js';

/** Milliseconds of work after which the page gets its turn. */
const SLICE_MS = 8;

/**
 * Figures of many queries, worked out between the keys and clicks of the page: those of before stay until they are done.
 * Undefined until the first ones are, and where no query has any.
 */
export function useMetrics(comparisons: readonly QueryComparison[]): MetricComparisons | undefined {
  const [metrics, setMetrics] = useState<MetricComparisons>();
  useEffect(() => {
    const steps = comparisonSteps(comparisons);
    let timer: ReturnType<typeof setTimeout>;
    const work = () => {
      const end = performance.now() + SLICE_MS;
      do {
        const { done, value } = steps.next();
        if (done === true) return setMetrics(value as MetricComparisons | undefined);
      } while (performance.now() < end);
      timer = setTimeout(work);
    };
    work();
    return () => clearTimeout(timer);
  }, [comparisons]);
  return metrics;
}
