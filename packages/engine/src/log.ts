import { type LogRecord, onLogRecords, takeLogRecords } from '@pelorus/node';

/**
 * Hands the reports of this process's engines to `log`, beginning with those that wait already, oldest first; in place
 * of the logger before.
 *
 * Returns a function that hands over waiting records at once, for a process that is about to end.
 */
export function setLogger(log: (record: LogRecord) => void): () => void {
  const handOver = (): void => {
    const { records, dropped } = takeLogRecords();
    for (const record of records) log(record);
    if (dropped === 0) return;
    log({
      level: 'warn',
      target: 'pelorus_node::log',
      message: `${dropped} later records were dropped: too many waited`,
    });
  };
  onLogRecords(handOver);
  return handOver;
}
