/**
 * Tells a shop's server the actions of shoppers: `pelorusTracker({...})` in a page, after
 * `<script src="tracker.js"></script>`.
 *
 * Clicks and carts count only for products that the current view of a search or a collection showed, and not after the
 * shopper changed a filter or a variant, until the next view without filters. A page that showed no view itself, such as
 * that of one product, goes by the last one of the session. Nothing is stored or sent before the shopper agreed, nor where
 * the browser says that it wants no tracking (Global Privacy Control).
 */
interface TrackerOptions {
  /** The address to which events go: that of the server, or of a proxy of the shop's own, which then adds the key. */
  readonly url: string;
  /** A tracking key that is bound to the origin of the page; none behind a proxy. */
  readonly key?: string;
  readonly customerId: string;
  /** Default `none`. */
  readonly experimentId?: string;
  /** Variants of the experiment: a shopper always has the same one of them. */
  readonly variants?: readonly string[];
  /** The source of the traffic, `web_prod` for one. */
  readonly source?: string;
  /** The shop's own id of the shopper; one is made up when absent. */
  readonly userId?: string;
  /** Tells whether the shopper has agreed. Default false. */
  readonly consent?: boolean;
}

interface PurchasedItem {
  readonly docId: string;
  readonly title: string;
  readonly quantity: number;
  readonly price: number;
}

interface View {
  /** Tells whether the shopper had narrowed it by filters: then its clicks and carts do not count. Default false. */
  readonly filtered?: boolean;
}

type TrackedEvent = Record<string, unknown>;

// biome-ignore lint/correctness/noUnusedVariables: pages call it
function pelorusTracker(options: TrackerOptions) {
  const PREFIX = 'pelorus.';
  const SESSION_IDLE_MS = 30 * 60 * 1000;
  const SEND_AFTER_MS = 5_000;
  const BATCH = 10;
  const WAITING_MAX = 100;
  const SHOWN_MAX = 1_000;

  let consented = options.consent === true;
  let ownUserId = options.userId;
  /** Products of the view of this page, none while actions do not count; undefined where it had no view of its own. */
  let shown: readonly string[] | undefined;
  let queue: TrackedEvent[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sending = false;
  let lastMs = 0;

  const mayTrack = (): boolean =>
    consented && (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl !== true;

  function read(name: string): string | null {
    try {
      return localStorage.getItem(PREFIX + name);
    } catch {
      return null;
    }
  }

  /** A browser that stores nothing has shoppers of one page each. */
  function write(name: string, value: string): string {
    try {
      localStorage.setItem(PREFIX + name, value);
    } catch {}
    return value;
  }

  const userId = (): string => ownUserId ?? read('user') ?? write('user', crypto.randomUUID());

  /** The session that is not over yet; undefined where there is none. */
  function openSession(): string | undefined {
    const [id, last] = (read('session') ?? '').split(' ');
    return id !== '' && Date.now() - Number(last) < SESSION_IDLE_MS ? id : undefined;
  }

  function sessionId(): string {
    const current = openSession() ?? crypto.randomUUID();
    write('session', `${current} ${Date.now()}`);
    return current;
  }

  /** FNV-1a: who the shopper is decides, so that it stays the same. */
  function variant(): string {
    const { variants = ['none'], experimentId = 'none' } = options;
    let hash = 0x811c9dc5;
    for (const character of `${userId()} ${experimentId}`) {
      hash = Math.imul(hash ^ (character.codePointAt(0) as number), 0x01000193);
    }
    return variants[(hash >>> 0) % variants.length] ?? 'none';
  }

  /** Never the same twice: what an action belongs to is told by the order of times. */
  function moment(): string {
    lastMs = Math.max(Date.now(), lastMs + 1);
    return new Date(lastMs).toISOString();
  }

  function note(eventType: string, members: TrackedEvent): void {
    if (!mayTrack()) return;
    const { customerId, experimentId = 'none', source } = options;
    queue.push({
      eventType,
      eventId: crypto.randomUUID(),
      customerId,
      experimentId,
      userId: userId(),
      sessionId: sessionId(),
      customVariant: variant(),
      userAgent: navigator.userAgent.slice(0, 1024),
      timestamp: moment(),
      pageUrl: location.href.slice(0, 2048),
      referrerUrl: (document.referrer || location.href).slice(0, 2048),
      ...(source !== undefined && { tags: [source] }),
      ...members,
    });
    keep();
    if (queue.length >= BATCH) void flush();
    else timer ??= setTimeout(() => void flush(), SEND_AFTER_MS);
  }

  /** Stores the events that are not sent yet, so that they outlive the page. */
  function keep(): void {
    queue = queue.slice(-WAITING_MAX);
    write('waiting', JSON.stringify(queue));
  }

  const sent = (events: readonly TrackedEvent[]): void => {
    queue = queue.filter((event) => !events.includes(event));
    keep();
  };

  /**
   * Sends waiting events. Events that do not arrive are sent again with the next ones; the server drops those that came
   * twice.
   */
  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (sending || queue.length === 0 || !mayTrack()) return;
    sending = true;
    const events = queue.slice();
    try {
      const headers: Record<string, string> = { 'content-type': 'application/json' };
      if (options.key !== undefined) headers['x-api-key'] = options.key;
      const answer = await fetch(options.url, {
        method: 'POST',
        headers,
        body: JSON.stringify({ events }),
        keepalive: true,
        credentials: 'omit',
      });
      // The server would refuse these events again.
      if (answer.ok || (answer.status >= 400 && answer.status < 500 && answer.status !== 429)) sent(events);
    } catch {
    } finally {
      sending = false;
    }
  }

  function leave(): void {
    if (document.visibilityState !== 'hidden' || sending || queue.length === 0 || !mayTrack()) return;
    const events = queue.slice();
    const url = options.key === undefined ? options.url : `${options.url}?k=${encodeURIComponent(options.key)}`;
    if (navigator.sendBeacon(url, JSON.stringify({ events }))) sent(events);
  }

  /** Notes the products shown from now on, for the pages that follow too. */
  function show(ids: readonly string[]): void {
    shown = ids.slice(0, SHOWN_MAX);
    keepShown();
  }

  function keepShown(): void {
    if (shown !== undefined && mayTrack()) write('shown', JSON.stringify([sessionId(), ...shown]));
  }

  /** Products of the last view of this session; none where nobody knows it. */
  function shownBefore(): readonly unknown[] {
    try {
      const [session, ...ids] = JSON.parse(read('shown') ?? '[]') as unknown[];
      return session === openSession() ? ids : [];
    } catch {
      return [];
    }
  }

  const counts = (docId: string): boolean => mayTrack() && (shown ?? shownBefore()).includes(docId);

  function restore(): void {
    try {
      queue = [...(JSON.parse(read('waiting') ?? '[]') as TrackedEvent[]), ...queue].slice(-WAITING_MAX);
    } catch {}
    keepShown();
    void flush();
  }

  function reset(): void {
    queue = [];
    ownUserId = undefined;
    for (const name of ['user', 'session', 'waiting', 'shown']) {
      try {
        localStorage.removeItem(PREFIX + name);
      } catch {}
    }
  }

  document.addEventListener('visibilitychange', leave);
  if (mayTrack()) restore();

  return {
    /** A search was answered with these products; `queryId` is that of the answer. */
    search(query: string, ids: readonly string[], queryId?: string | null, { filtered = false }: View = {}): void {
      show(filtered ? [] : ids);
      note('SearchEvent', queryId == null ? { query } : { query, queryId });
    },
    /** A collection was shown with these products. */
    collection(collectionId: string, ids: readonly string[], { filtered = false }: View = {}): void {
      show(filtered ? [] : ids);
      note('CollectionViewEvent', { collectionId });
    },
    /** The view shows these products too: its next page. */
    more(ids: readonly string[]): void {
      if (shown !== undefined && shown.length > 0) show([...shown, ...ids]);
    },
    click(docId: string, title: string): void {
      if (counts(docId)) note('ClickEvent', { docId, title });
    },
    addToCart(docId: string, title: string, currency: string): void {
      if (counts(docId)) note('AddToCartEvent', { docId, title, currency });
    },
    purchase(items: readonly PurchasedItem[], currency: string): void {
      note('PurchaseEvent', {
        docId: items.map((item) => item.docId),
        title: items.map((item) => item.title),
        quantity: items.map((item) => item.quantity),
        price: items.map((item) => item.price),
        currency,
      });
    },
    /** The shopper filtered the view: clicks and carts count again from the next one without filters on. */
    filterApplied(): void {
      show([]);
    },
    /** The shopper chose another variant of a product: likewise. */
    variantChanged(): void {
      show([]);
    },
    /** The shopper agrees, or no longer does: then everything that is stored of them is gone. */
    consent(given: boolean): void {
      consented = given;
      if (given) restore();
      else reset();
    },
    identify(id: string): void {
      ownUserId = id;
    },
    /** Forgets the shopper, and the events that were not sent yet. */
    reset,
    /** Sends waiting events now. */
    flush,
    /** The data about the shopper that a search may carry. Nothing before they agreed. */
    shopper: (): { userId?: string; sessionId?: string } =>
      mayTrack() ? { userId: userId(), sessionId: sessionId() } : {},
  };
}
