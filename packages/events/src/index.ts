export { BATCH_EVENTS_MAX, DAY_MS, HOUR_MS, normalisedQuery } from './event.js';
export type {
  AcceptedEvents,
  Analytics,
  AnalyticsQuery,
  Context,
  DataQuality,
  ErasureJob,
  EventCounts,
  EventProblem,
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
  QueryChoices,
  RecentEvent,
  RejectedEvent,
  Shopper,
  TermMetrics,
  TimePoint,
  TopQuery,
} from './event-store.js';
export { RETENTION_DAYS_DEFAULT } from './ledger-file.js';
export { type EventStoreOptions, openEventStore } from './open-event-store.js';
export { type EventFileProblem, verifyEvents } from './verify-events.js';
