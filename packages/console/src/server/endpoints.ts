import type { Fetch } from '@pelorus/client';

/** The path of the endpoint of an index, as its record ends with it; what is before depends on the way to the server. */
const ENDPOINT = /\/e\/[^/]+$/;
const CONTROL_PLANE = '/api/v2/indexes';
const INDEXES = /^\/indexes(?:\/([^/?]+)(.*))?$/s;

interface IndexRecord {
  readonly indexName: string;
  readonly marqoEndpoint: string;
}

/**
 * The way to the indexes of the hosted form, each of which has an endpoint: calls of `/indexes` go to the control plane,
 * and those of an index to its endpoint.
 */
export class Endpoints {
  readonly #server: string;
  readonly #send: Fetch;
  /** Paths of endpoints by the names of their indexes, encoded. */
  readonly #paths = new Map<string, string>();

  /**
   * @param server the address of the server, without a slash at its end
   * @param send takes the requests; the browser's own `fetch` when absent
   */
  constructor(server: string, send: Fetch = (address, init) => fetch(address, init)) {
    this.#server = server;
    this.#send = send;
  }

  /** The address at which an index is called; that of the server until it has been called once. */
  addressOf(name: string): string {
    return `${this.#server}${this.#paths.get(encodeURIComponent(name)) ?? ''}`;
  }

  /** Takes the place of `fetch` for calls of the process of an index, such as of `/log`, which has no index in its path. */
  at(name: string): Fetch {
    const encoded = encodeURIComponent(name);
    return (address, init) => this.#sendTo(encoded, address.slice(this.#server.length), init);
  }

  /** Takes the place of `fetch` for calls of the interface of one server. */
  readonly fetch: Fetch = async (address, init) => {
    const [call, name, rest = ''] = INDEXES.exec(address.slice(this.#server.length)) ?? [];
    if (call === undefined) return this.#send(address, init);
    if (name === undefined) return this.#send(`${this.#server}${CONTROL_PLANE}`, init);
    if (!rest.startsWith('/')) return this.#send(`${this.#server}${CONTROL_PLANE}/${name}${rest}`, init);
    return this.#sendTo(name, `/indexes/${name}${rest}`, init);
  };

  /** Sends a call to the endpoint of an index, which is looked up where it is not known, or not there any more. */
  async #sendTo(name: string, call: string, init: RequestInit): Promise<Response> {
    const refusal = this.#paths.has(name) ? undefined : await this.#look(init);
    if (refusal !== undefined) return refusal;
    const path = this.#paths.get(name);
    // The answer tells that there is none, in the words of the server.
    if (path === undefined) return this.#send(`${this.#server}${CONTROL_PLANE}/${name}`, reading(init));
    const answer = await this.#send(`${this.#server}${path}${call}`, init);
    if (!(await isGone(answer))) return answer;
    // It may have been deleted and made anew, at another endpoint.
    await this.#look(init);
    const next = this.#paths.get(name);
    return next === undefined || next === path ? answer : this.#send(`${this.#server}${next}${call}`, init);
  }

  /** Learns the endpoints; the answer where the server tells none. */
  async #look(init: RequestInit): Promise<Response | undefined> {
    const answer = await this.#send(`${this.#server}${CONTROL_PLANE}`, reading(init));
    if (!answer.ok) return answer;
    const { results } = (await answer.json()) as { results: readonly IndexRecord[] };
    this.#paths.clear();
    for (const { indexName, marqoEndpoint } of results) {
      const [path] = ENDPOINT.exec(marqoEndpoint) ?? [];
      if (path !== undefined) this.#paths.set(encodeURIComponent(indexName), path);
    }
    return undefined;
  }
}

/** A request that reads, with the headers and the end of another one. */
function reading({ headers, signal, redirect }: RequestInit): RequestInit {
  return { method: 'GET', ...(headers && { headers }), ...(signal && { signal }), ...(redirect && { redirect }) };
}

async function isGone(answer: Response): Promise<boolean> {
  if (answer.status !== 404) return false;
  const told: unknown = await answer
    .clone()
    .json()
    .catch(() => null);
  return (told as { code?: unknown } | null)?.code === 'index_not_found';
}
