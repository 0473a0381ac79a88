import { setTimeout as sleep } from 'node:timers/promises';
import { ABSENT, Model, stateOf } from './model.mjs';
import { Random } from './random.mjs';

const INDEX = 'kept';
const WRITERS = 3;
/** Documents of a writer, of which no other one changes any. */
const IDS = 40;
/** The word that every document has. */
const COMMON = 'everywhere';
/** The waits between two calls of a client, and after a refusal, in milliseconds. */
const [PAUSE_MS, REFUSED_MS] = [15, 150];
/** The deadlines of searches, by reader: the first has that of the server. */
const DEADLINES_MS = [undefined, 1_500];
/** Tries of a verification, which has to have an answer. */
const TRIES = 100;

const MODEL = { model: 'no_model', modelProperties: { type: 'no_model', dimensions: 4 } };
/** The name of the settings in the model, beside documents. */
const SETTINGS = 'settings';

/** Writers and readers of an index, which go on until they are ended, and what was acknowledged to them. */
export class Workload {
  #answers;
  #model = new Model();
  #isOver = false;
  #clients = [];
  #calls = 0;
  /** Clients with a call under way. */
  #busy = 0;
  /** Resolves once clients may go on. */
  #gate;
  #number = 0;

  constructor(answers) {
    this.#answers = answers;
  }

  static async begin(answers, random) {
    const workload = new Workload(answers);
    if ((await answers.call('writes', 'POST', `/indexes/${INDEX}`, MODEL)) === null)
      throw new Error('the index was not created');
    workload.#model.wrote(SETTINGS, true, () => '0');
    for (let writer = 0; writer < WRITERS; writer++)
      workload.#clients.push(
        workload.#repeat(new Random(random.int(0, 2 ** 31)), (own) => workload.#write(writer, own)),
      );
    for (const deadlineMs of DEADLINES_MS)
      workload.#clients.push(workload.#repeat(new Random(0), () => workload.#read(deadlineMs)));
    return workload;
  }

  /** Ends all clients. Resolves once no call is under way. */
  async end() {
    this.#isOver = true;
    await Promise.all(this.#clients);
  }

  /** Resolves once each client has had its answer, and some more. */
  async settle() {
    const calls = this.#calls + 20 * (WRITERS + DEADLINES_MS.length);
    while (this.#calls < calls) await sleep(20);
  }

  /** Compares all documents with what was acknowledged, by their ids and by a search, while no writer writes. */
  async verifyAll() {
    let goOn;
    this.#gate = new Promise((resolve) => {
      goOn = resolve;
    });
    while (this.#busy > 0) await sleep(5);
    try {
      await this.#verify();
    } finally {
      this.#gate = undefined;
      goOn();
    }
  }

  async #verify() {
    const ids = this.#model.ids.filter((id) => id !== SETTINGS);
    const byId = ['reads', 'POST', `/indexes/${INDEX}/documents/get-batch`, { documentIds: ids }];
    const search = { q: COMMON, searchMethod: 'LEXICAL', limit: 1000, attributesToRetrieve: ['version', 'note'] };
    const { results } = await this.#sure(...byId);
    const { hits } = await this.#sure('reads', 'POST', `/indexes/${INDEX}/search`, search);
    const found = new Map(hits.map((hit) => [hit._id, stateOf(hit)]));
    for (const [at, id] of ids.entries()) {
      this.#saw(id, results[at]._found ? stateOf(results[at]) : ABSENT, 'a get of all');
      this.#saw(id, found.get(id) ?? ABSENT, 'a search of all');
    }
    const { modelProperties } = await this.#sure('reads', 'GET', `/indexes/${INDEX}/settings`);
    this.#saw(SETTINGS, modelProperties.note ?? '0', 'a look at all');
  }

  async #repeat(random, work) {
    while (!this.#isOver) {
      await this.#gate;
      this.#busy += 1;
      const isAnswered = await work(random);
      this.#busy -= 1;
      this.#calls += 1;
      await sleep(isAnswered ? PAUSE_MS : REFUSED_MS);
    }
  }

  async #sure(kind, ...request) {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const answer = await this.#answers.call(kind, ...request);
      if (answer !== null) return answer;
      await sleep(REFUSED_MS);
    }
    throw new Error(`no answer to ${request.join(' ')}`);
  }

  /** One call of the mix, and at times a look at what it has left. */
  async #write(writer, random) {
    const id = `w${writer}d${random.int(0, IDS - 1)}`;
    const draw = random.next();
    const looks = random.next();
    let isAnswered;
    if (writer === 0 && draw < 0.03) return this.#changeSettings();
    if (draw < 0.5)
      isAnswered = await this.#add(writer, [id, ...(draw < 0.1 ? [`w${writer}d${random.int(0, IDS - 1)}`] : [])]);
    else if (draw < 0.8) isAnswered = await this.#patch(id);
    else isAnswered = await this.#remove(id);
    if (!isAnswered) return false;
    if (looks < 0.4) await this.#get(id);
    else if (looks < 0.8) await this.#find(id);
    return true;
  }

  async #add(_, given) {
    const ids = [...new Set(given)];
    const version = ++this.#number;
    const documents = ids.map((_id) => ({ _id, version, text: `${COMMON} ${_id}` }));
    const answer = await this.#answers.call('writes', 'POST', `/indexes/${INDEX}/documents`, {
      documents,
      tensorFields: [],
    });
    return this.#settleItems('an add', ids, answer, () => `${version}:0`);
  }

  async #patch(id) {
    const note = ++this.#number;
    const documents = [{ _id: id, note }];
    const answer = await this.#answers.call('writes', 'PATCH', `/indexes/${INDEX}/documents`, { documents });
    const change = (state) => (state === ABSENT ? undefined : `${state.split(':')[0]}:${note}`);
    const [item] = answer?.items ?? [];
    if (item?.status === 400 || item?.status === 404) {
      if (!this.#model.wasMissing(id)) this.#answers.isLost(`${id} was missing to an update`);
      return true;
    }
    return this.#settleItems('an update', [id], answer, change);
  }

  async #remove(id) {
    const answer = await this.#answers.call('writes', 'POST', `/indexes/${INDEX}/documents/delete-batch`, [id]);
    this.#model.wrote(id, answer !== null, () => ABSENT);
    if (answer !== null) this.#answers.acknowledged();
    return answer !== null;
  }

  /** Changes the settings, and reads them. */
  async #changeSettings() {
    const note = String(++this.#number);
    const path = `/indexes/${INDEX}`;
    const body = { modelProperties: { ...MODEL.modelProperties, note } };
    const answer = await this.#answers.call('writes', 'PATCH', `${path}/index-settings`, body);
    this.#model.wrote(SETTINGS, answer !== null, () => note);
    if (answer === null) return false;
    this.#answers.acknowledged();
    const settings = await this.#answers.call('reads', 'GET', `${path}/settings`);
    if (settings !== null) this.#saw(SETTINGS, settings.modelProperties.note ?? '0', 'a look at them');
    return settings !== null;
  }

  #settleItems(where, ids, answer, change) {
    for (const [at, id] of ids.entries()) {
      const item = answer?.items[at];
      const isAcknowledged = item?.status === 200;
      this.#model.wrote(id, isAcknowledged, change);
      if (isAcknowledged) this.#answers.acknowledged();
      else if (item !== undefined) this.#answers.itemRefused(where, { message: item.error, ...item });
    }
    return answer !== null;
  }

  async #get(id) {
    const request = ['reads', 'POST', `/indexes/${INDEX}/documents/get-batch`, { documentIds: [id] }];
    const answer = await this.#answers.call(...request);
    if (answer === null) return;
    const [found] = answer.results;
    this.#saw(id, found._found ? stateOf(found) : ABSENT, 'a get');
  }

  async #find(id) {
    const answer = await this.#answers.call('reads', 'POST', `/indexes/${INDEX}/search`, {
      q: id,
      searchMethod: 'LEXICAL',
    });
    if (answer === null) return;
    const hit = answer.hits.find(({ _id }) => _id === id);
    this.#saw(id, hit === undefined ? ABSENT : stateOf(hit), 'a search');
  }

  async #read(deadlineMs) {
    const search = { q: COMMON, searchMethod: 'LEXICAL', limit: 3 };
    return (await this.#answers.call('reads', 'POST', `/indexes/${INDEX}/search`, search, deadlineMs)) !== null;
  }

  #saw(id, state, where) {
    const possible = [...this.#model.possible(id)];
    if (!this.#model.saw(id, state))
      this.#answers.isLost(`${id} is ${state} to ${where}, and may be ${possible.join(' or ')}`);
  }
}
