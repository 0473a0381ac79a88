import { type JsonSchema, type Operation, operations, schemas } from '@pelorus/contract';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { operationsOf } from '../../src/app.js';
import type { ServiceName } from '../../src/call.js';
import { routeUrl } from '../../src/http/paths.js';

const ajv = new Ajv2020({ strict: false, allErrors: true });
const byRoute = new Map(
  Object.values<Operation>(operations).map((operation) => [
    `${operation.method} ${routeUrl(operation.path)}`,
    operation,
  ]),
);

/** Checks every answer against the contract of its operation and status, and notes those seen. */
export class ResponseCheck {
  /** `search 200` for every operation and status that was answered. */
  readonly seen = new Set<string>();
  readonly faults: string[] = [];
  readonly #compiled = new Map<JsonSchema, ValidateFunction>();

  readonly hook = async (request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> => {
    const operation = byRoute.get(`${request.method} ${request.routeOptions.url ?? ''}`);
    if (Buffer.isBuffer(payload) && operation !== undefined) this.#check(operation, reply.statusCode, payload);
    return payload;
  };

  #check(operation: Operation, status: number, payload: Buffer): void {
    this.seen.add(`${operation.operationId} ${status}`);
    const schema = operation.responses[status] ?? (status >= 400 ? schemas.ErrorResponse : undefined);
    if (schema === undefined) {
      this.faults.push(`${operation.operationId} answers ${status}, which the contract does not know`);
      return;
    }
    const validate = this.#validator(schema);
    if (validate(JSON.parse(payload.toString('utf8')))) return;
    this.faults.push(`${operation.operationId} ${status}: ${ajv.errorsText(validate.errors)} in ${payload}`);
  }

  #validator(schema: JsonSchema): ValidateFunction {
    const validate = this.#compiled.get(schema) ?? ajv.compile(schema);
    this.#compiled.set(schema, validate);
    return validate;
  }
}

/** Every operation of a service and status that the contract documents. */
export function documentedAnswers(service: ServiceName): string[] {
  return operationsOf(service).flatMap(({ operationId, responses }) =>
    Object.keys(responses).map((status) => `${operationId} ${status}`),
  );
}
