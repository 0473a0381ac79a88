export { BATCH_EVENTS_MAX, DAY_MS, HOUR_MS, normalisedQuery } from './event.js';
export type {
  AcceptedEvents,
  Analytics,
  AnalyticsQuery,
  Context,
  DataQuality,
  ErasureJob,
  EventStore,
  ExportedEvents,
  ExportedUbi,
  LabelCount,
  LoggedSearch,
  Metrics,
  MoneyByCurrency,
  NamedProduct,
  NoClickTerm,
  NoResultTerm,
  ProductMetrics,
  ProductSignal,
  ProductSignals,
  RecentEvent,
  RejectedEvent,
  TermMetrics,
  TimePoint,
  TopQuery,
} from './event-store.js';
export { RETENTION_DAYS_DEFAULT } from './ledger-file.js';
export { type EventStoreOptions, openEventStore } from './open-event-store.js';
