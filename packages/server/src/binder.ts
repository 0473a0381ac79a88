import { type Operation, type OperationId, truncated, UnprocessableError } from '@pelorus/contract';
import type { Device, Inference } from '@pelorus/inference';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from './auth/access.js';
import { answerPreflights, hasOriginsByCredential, shareAnswer } from './auth/credential-origins.js';
import type { Answer, Call, Handler, Principal } from './call.js';
import type { Admission, AnswerParts } from './http/admission.js';
import { itemsAskedFor } from './http/answer-sizes.js';
import { toBytes } from './http/body.js';
import { isJsonType, isPlainText } from './http/body-parser.js';
import { Deadline } from './http/deadline.js';
import { toldError } from './http/errors.js';
import { boundJsonInTurns, isOfOneTurn, parseJson, parseRest } from './http/json.js';
import { routeParameter, routeUrl, splitTarget } from './http/paths.js';
import { withBody } from './http/read-body.js';
import { Telemetry, wantsTelemetry } from './http/telemetry.js';
import './http/observe.js';
import type { ExtractedVectors } from './http/extracted-vectors.js';
import { PassedOn, withItsBody } from './loops/passed-on.js';
import { type AliasesNow, handleCalled, indexCalled } from './services/called-index.js';
import { type Check, checkOf, requireBody } from './validation/check.js';
import { broken, placeOf, wrong } from './validation/problems.js';

type Params = Readonly<Record<string, string | undefined>>;

/** Changes a parsed body before it is checked against its schema. */
type Preparation = (body: unknown, params: Params) => unknown;

export type Preparations = { readonly [Id in OperationId]?: Preparation };

/** Takes the vectors out of a body before it is parsed. */
export type VectorExtractors = { readonly [Id in OperationId]?: (body: Buffer) => ExtractedVectors | null };

/** The parts with which every operation is bound. */
export interface Bindings {
  readonly access: Access;
  readonly admission: Admission;
  /** Address of this server as clients call it; the one of each request when empty. */
  readonly publicUrl: string;
  readonly preparations: Preparations;
  readonly vectorExtractors: VectorExtractors;
  /** The aliases of the moment; indexes have none when absent. */
  readonly aliasesNow?: AliasesNow;
  /** As {@link Inference.device}. */
  readonly deviceNamed: Inference['device'];
  /**
   * Answers a request that another event loop alone can answer. Where absent, none does.
   * @param bytes of its body, decoded; null where that was not read
   */
  readonly passOn?: (request: FastifyRequest, reply: FastifyReply, bytes: Buffer | null) => Promise<FastifyReply>;
}

/** Registers a route for every one of `operations`. There is no other way to a handler. */
export function bindOperations<Id extends OperationId>(
  app: FastifyInstance,
  operations: readonly (Operation & { readonly operationId: Id })[],
  handlers: { readonly [Each in Id]: Handler<Each> },
  bindings: Bindings,
): void {
  for (const operation of operations) {
    bind(app, operation, handlers[operation.operationId] as unknown as Handler<OperationId>, bindings);
  }
  answerPreflights(app, operations, bindings.access);
}

function bind(
  app: FastifyInstance,
  operation: Operation,
  handler: Handler<OperationId>,
  {
    access,
    admission,
    publicUrl,
    preparations,
    vectorExtractors,
    aliasesNow = () => undefined,
    deviceNamed,
    passOn,
  }: Bindings,
): void {
  const id = operation.operationId as OperationId;
  const checkQuery = checkOf(operation.query, 'query');
  const checkHeaders = checkOf(operation.headers, 'header');
  const readBody = bodyReader(operation, preparations[id], vectorExtractors[id]);
  const listNames = listNamesOf(operation);
  // An operation that refuses nothing with 422 has no parameter that changes what it does.
  const refuses = operation.responses['422'] !== undefined;
  const queryNames = refuses ? Object.keys(operation.query.properties ?? {}) : [];
  const scalarNames = queryNames.filter((name) => !listNames.includes(name));
  const headerNames = Object.keys(operation.headers.properties ?? {});
  const paramNames = Object.keys(operation.params.properties ?? {});
  const originsByCredential = hasOriginsByCredential(operation, access);
  app.route({
    method: operation.method,
    url: routeUrl(operation.path),
    bodyLimit: operation.bodyLimitBytes,
    exposeHeadRoute: false,
    config: { originsByCredential, operation: id },
    handler: passOn === undefined ? handle : handleOrPassOn,
  });

  function handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const ready = access.ready?.(operation);
    return ready === undefined ? handleReady(request, reply) : ready.then(() => handleReady(request, reply));
  }

  function handleReady(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const principal = access.admit(operation, request);
    if (originsByCredential) shareAnswer(request, reply);
    admission.atHead(id);
    const owner = principal?.keyId;
    return withBody(request, admission.bodies, owner, (bytes) => {
      const answered = admission.pass(id, () => answer(request, reply, bytes, principal));
      return passOn === undefined ? answered : answered.catch(withItsBody(bytes));
    });
  }

  async function handleOrPassOn(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    try {
      return await handle(request, reply);
    } catch (error) {
      if (!(error instanceof PassedOn) || passOn === undefined) throw error;
      return await passOn(request, reply, error.body);
    }
  }

  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    bytes: Buffer,
    principal: Principal | undefined,
    parse: BodyReader['parse'] = readBody.parse,
  ): Promise<FastifyReply> {
    // JSON syntax, then the device, then shapes: the order clients know.
    const parsing = parse(bytes, request);
    const { body, vectors } = parsing instanceof Promise ? await parsing : parsing;
    let deadline: Deadline | undefined;
    let parts: AnswerParts | undefined;
    try {
      const given = queryValues(request);
      const query = {
        ...(request.query as Record<string, string>),
        ...listsOf(listNames, given),
        telemetry: wantsTelemetry(request.query),
      };
      let device = () => deviceOf(operation, query, deviceNamed);
      if (!Buffer.isBuffer(body)) {
        const known = device();
        device = () => known;
      }
      const params = paramsOf(paramNames, request);
      refuseRepeated(scalarNames, given);
      const aliases = aliasesNow();
      const call = {
        params,
        query: checkQuery(query),
        headers: checkHeaders(headersOf(headerNames, request)),
        body: readBody.check(body, params),
        device,
        deadline: (timeoutMs: number) => {
          // One of before, where the call is begun anew.
          deadline?.end();
          deadline = new Deadline(reply.raw, request.startedMs + timeoutMs);
          return deadline;
        },
        calledAs: params.indexName ?? '',
        aliases,
        bytes,
        vectors,
        telemetry: request.telemetry,
        startedMs: request.startedMs,
        log: request.log,
        principal,
        withFreePlaces: (countMax: number, work: (count: number) => Promise<unknown>) =>
          admission.withFreePlaces(id, countMax, work),
        answerPart: (...part: Parameters<AnswerParts['make']>) => (parts as AnswerParts).make(...part),
        toldError: (error: unknown) => {
          // A part of the answer is passed on with the whole.
          if (error instanceof PassedOn) throw error;
          return toldError(error, request);
        },
        // No getter: an object literal with one has a hidden class of its own each time, and those live, with all of the
        // request, until the old space is collected.
        base: () => publicUrl || `${request.protocol}://${request.host}`,
      } as Call<OperationId>;
      const asked = {
        ...{ index: params.indexName && indexCalled(aliases, params.indexName), items: itemsAskedFor(call.body) },
        ...{ owner: principal?.keyId, response: reply.raw },
      };
      const made = await admission.answer(id, asked, (given) => {
        parts = given;
        const answered = handleCalled(id, handler, call, aliasesNow);
        return answered instanceof Promise ? answered.then(madeOf) : madeOf(answered);
      });
      if (vectors === null || vectors.areVectors()) return send(reply, made);
    } catch (error) {
      if (vectors === null || vectors.areVectors()) throw error;
    } finally {
      deadline?.end();
    }
    // A list was taken for a vector: the body as a whole is answered, as if nothing had been done with its parts.
    request.telemetry = new Telemetry(request.telemetry.isAsked);
    return answer(request, reply, bytes, principal, readBody.parseWhole);
  }
}

/** The headers of these names; others are for all operations alike. */
function headersOf(names: readonly string[], request: FastifyRequest): Record<string, unknown> {
  const given = names.filter((name) => request.headers[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, request.headers[name]]));
}

/** The parameters of the query that are lists. */
function listNamesOf({ query: { properties = {} } }: Operation): readonly string[] {
  return Object.keys(properties).filter((name) => properties[name]?.type === 'array');
}

/** Every value of the query, one for each time that a parameter is given. */
function queryValues({ raw }: FastifyRequest): URLSearchParams {
  const { query } = splitTarget(raw.url ?? '/');
  return query === '' ? noValues : new URLSearchParams(query);
}

const noValues = new URLSearchParams();

/** The lists of a query: an item for each time they are given. */
function listsOf(names: readonly string[], given: URLSearchParams): Record<string, string[]> {
  const lists = names.filter((name) => given.has(name));
  return Object.fromEntries(lists.map((name) => [name, given.getAll(name)]));
}

/** @throws UnprocessableError for a parameter that has one value and is given several, of which none is the one that was meant */
function refuseRepeated(names: readonly string[], given: URLSearchParams): void {
  if (given.size < 2) return;
  const problems = names
    .map((name) => ({ name, count: given.getAll(name).length }))
    .filter(({ count }) => count > 1)
    .map(({ name, count }) => broken(['query', name], `expected one value, but it is given ${count} times`));
  if (problems.length > 0) throw new UnprocessableError(problems);
}

/** The device of an operation that takes one; undefined for the CPU. */
function deviceOf(operation: Operation, query: object, deviceNamed: Bindings['deviceNamed']): Device | undefined {
  const { device } = query as { device?: string };
  // No device has a long name: the start of one says as much, and is all that an answer echoes.
  return operation.query.properties?.device === undefined || device === undefined
    ? undefined
    : deviceNamed(truncated(device));
}

function paramsOf(names: readonly string[], request: FastifyRequest): Params {
  const routed = request.params as Record<string, string>;
  const params = Object.fromEntries(names.map((name) => [name, routed[routeParameter(name)]]));
  // A name longer than any index can have stands for no index, and so does its start, which answers echo.
  return params.indexName === undefined ? params : { ...params, indexName: truncated(params.indexName) };
}

interface ParsedBody {
  /** The bytes of a raw body, the parsed JSON of any other; undefined for an operation without one. */
  readonly body: unknown;
  readonly vectors: ExtractedVectors | null;
}

interface BodyReader {
  /** At once, unless the body is too long for one turn of the event loop. Takes vectors out, where there may be any. */
  parse(bytes: Buffer, request: FastifyRequest): ParsedBody | Promise<ParsedBody>;
  /** As `parse`, of a body whose type was looked at, as it came. */
  parseWhole(bytes: Buffer): ParsedBody | Promise<ParsedBody>;
  check(body: unknown, params: Params): unknown;
}

const noBody: ParsedBody = { body: undefined, vectors: null };

function bodyReader(
  operation: Operation,
  prepare: Preparation = (body) => body,
  extractVectors?: VectorExtractors[OperationId],
): BodyReader {
  const { body: schema, bodyRequired, rawBody, credential } = operation;
  if (schema === null) return { parse: () => noBody, parseWhole: () => noBody, check: () => undefined };
  const check: Check = rawBody ? (body) => body : checkOf(schema, 'body');
  // A lone `null` says as little as nothing, and either as little as an object without members.
  const given = (body: unknown) => (bodyRequired ? requireBody(body, schema) : (body ?? {}));
  // A page on its way out sends its events by `sendBeacon`, which asks nobody before only if it says that this is a text.
  const isTaken = (type: string | undefined) => isJsonType(type) || (credential === 'tracking' && isPlainText(type));
  const whole = (body: unknown): ParsedBody => ({ body, vectors: null });
  const parseWhole = (bytes: Buffer) => {
    const body = parseJson(bytes, operation);
    return body instanceof Promise ? body.then(whole) : whole(body);
  };
  const parseParts = (bytes: Buffer, vectors: ExtractedVectors | null) => {
    if (vectors === null) return parseWhole(bytes);
    const ofRest = (body: unknown) => (body == null ? parseWhole(bytes) : { body, vectors });
    const rest = parseRest(vectors.rest, vectors.valuesTaken, operation);
    return rest instanceof Promise ? rest.then(ofRest) : ofRest(rest);
  };
  return {
    parse: (bytes, { headers }) => {
      const type = headers['content-type'];
      if (bytes.length > 0 && !isTaken(type)) {
        throw opaqueBody(schema.type === 'array' ? 'type_error.list' : 'type_error.dict', type);
      }
      if (rawBody && bytes.length > 0) return whole(bytes);
      if (extractVectors === undefined) return parseWhole(bytes);
      if (isOfOneTurn(bytes)) return parseParts(bytes, extractVectors(bytes));
      return boundJsonInTurns(bytes, operation).then(() => parseParts(bytes, extractVectors(bytes)));
    },
    parseWhole,
    check: (body, params) => check(prepare(given(body), params)),
  };
}

/** A body of another type is a text here, even where it reads as JSON: the type that its sender gave it counts. */
function opaqueBody(kind: 'type_error.list' | 'type_error.dict', contentType: string | undefined): UnprocessableError {
  const problem = wrong(kind, placeOf('body'));
  const sentAs = truncated(contentType ?? '');
  return new UnprocessableError([
    { ...problem, msg: `${problem.msg}: it was sent as '${sentAs}', expected application/json` },
  ]);
}

/** An answer with its bytes, which it has unless it is a stream or empty. */
interface Made {
  readonly answer: Answer;
  readonly bytes: Buffer | null;
}

function madeOf(answer: Answer): Made {
  if ('stream' in answer || answer.body === null) return { answer, bytes: null };
  return { answer, bytes: Buffer.isBuffer(answer.body) ? answer.body : toBytes(answer.body) };
}

function send(reply: FastifyReply, { answer, bytes }: Made): FastifyReply {
  if ('stream' in answer) return reply.headers(answer.headers).send(answer.stream);
  if (answer.body === null) return reply.code(answer.status).send();
  const { status = 200, headers = {} } = answer;
  return reply
    .code(status)
    .headers({ ...headers, 'content-type': 'application/json' })
    .send(bytes);
}
