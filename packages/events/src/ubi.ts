import { EVENT_TYPES, type EventBody, type EventType, itemsOf, SEARCH_LOG } from './event.js';

/** A stored event with the facts that are not in every body. */
export interface OwnedEvent {
  readonly type: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly customer: string;
  readonly user: string;
  readonly session: string;
  readonly body: EventBody;
}

export type UbiRecord = Readonly<Record<string, unknown>>;

/** Records of the two indexes of User Behavior Insights 1.3.0, `ubi_queries` and `ubi_events`. */
export interface UbiRecords {
  readonly queries: readonly UbiRecord[];
  readonly events: readonly UbiRecord[];
}

const actions: Readonly<Record<EventType, string>> = {
  SearchEvent: 'search',
  CollectionViewEvent: 'view',
  ClickEvent: 'click',
  AddToCartEvent: 'add_to_cart',
  PurchaseEvent: 'purchase',
};

/** The field of a product that `docId` stands for. */
const ID_FIELD = '_id';

/**
 * An event as User Behavior Insights has it: a search is a query too, a purchase an event for each item. Members that
 * UBI does not know are in the attributes. Positions on the page, which UBI wants there, nobody told us; and our ids
 * may be longer than its 100 characters.
 */
export function ubiOf(event: OwnedEvent): UbiRecords {
  const { eventType, timestamp, customerId, userId, sessionId, queryId, query, ...rest } = event.body;
  const time = typeof timestamp === 'string' ? timestamp : new Date(event.at).toISOString();
  const known = {
    ...{ application: event.customer, timestamp: time },
    ...(queryId != null && { query_id: queryId }),
  };
  const name = EVENT_TYPES[event.type];
  if (event.type === SEARCH_LOG || name === undefined) return { queries: [loggedQuery(event, known)], events: [] };
  const common = { ...known, action_name: actions[name], session_id: event.session, user_id: event.user };
  if (name !== 'SearchEvent') return { queries: [], events: ofProducts(common, rest) };
  return {
    queries: [{ ...known, user_query: query, query_attributes: { ...rest, ...ownerOf(event) } }],
    events: [{ ...common, user_query: query, event_attributes: rest }],
  };
}

function loggedQuery(event: OwnedEvent, known: UbiRecord): UbiRecord {
  const { query, hits, docId } = event.body;
  return {
    ...{ ...known, user_query: query, object_id_field: ID_FIELD, query_response_hit_ids: docId },
    query_attributes: { hits, ...ownerOf(event) },
  };
}

/** The owner of a query, which UBI tells of events alone. */
function ownerOf({ user, session }: OwnedEvent) {
  return { ...(user !== '' && { userId: user }), sessionId: session };
}

function ofProducts(common: UbiRecord, { docId, ...rest }: EventBody): UbiRecord[] {
  if (docId === undefined) return [{ ...common, event_attributes: rest }];
  return itemsOf({ docId }).map((item, place) => ({
    ...common,
    event_attributes: { ...membersOf(rest, place), object: { object_id: item.docId, object_id_field: ID_FIELD } },
  }));
}

/** Members of the item at `place` of a purchase, which may have one value for each item or one for all. */
function membersOf({ title, quantity, price, ...rest }: EventBody, place: number): EventBody {
  const own = Object.entries({ title, quantity, price }).filter(([, value]) => value !== undefined);
  return {
    ...rest,
    ...Object.fromEntries(own.map(([name, value]) => [name, Array.isArray(value) ? value[place] : value])),
  };
}
