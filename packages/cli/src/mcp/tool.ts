import type {
  CallToolResult,
  JsonSchemaType,
  McpServer,
  ServerContext,
  ToolAnnotations,
} from '@modelcontextprotocol/server';
import { fromJsonSchema } from '@modelcontextprotocol/server';
import { ApiError } from '../api.js';
import type { AnswerBounds, Server } from '../server-call.js';
import { StartFailure } from '../start-failure.js';
import { inOneLine } from '../terminal/width.js';

/** The server that tools call, and the part of it that they are for. */
export interface Surroundings {
  readonly server: Server;
  /** The one index that agents see; they name one when it is undefined. */
  readonly index: string | undefined;
  /** Told of what went wrong inside. */
  log(text: string): void;
}

/** One call of a tool. */
export interface ToolCall<Given> {
  readonly server: Server;
  readonly given: Given;
  /** The index that is pinned, or that the agent names. */
  readonly index: string;
  /** Bounds of each answer of the server; they end with the call. */
  readonly bounds: AnswerBounds;
}

export interface Tool<Given> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  /** Parameters besides the index, by their names. */
  readonly parameters: Readonly<Record<string, object>>;
  readonly required: readonly string[];
  readonly hasIndex: boolean;
  /** Members of the answer, by their names. */
  readonly output: Readonly<Record<string, object>>;
  readonly outputRequired: readonly string[];
  /** Time for the server to answer. */
  readonly answerMs: number;
  run(call: ToolCall<Given>): Promise<Record<string, unknown>>;
}

const INDEX = {
  ...{ type: 'string', minLength: 1, maxLength: 1000 },
  description: 'Name of the index, as the tool list gives it',
} as const;

const BYTES_MAX = 64 * 1024 * 1024;
const STALL_MS = 30_000;
/** Characters of the words of a failure. */
const FAILURE_LENGTH_MAX = 1000;

/** Adds a tool to a server of agents. Its failures are answers, in one sentence with what to do. */
export function addTool<Given>(mcp: McpServer, around: Surroundings, tool: Tool<Given>): void {
  const asksForIndex = tool.hasIndex && around.index === undefined;
  const input = {
    type: 'object',
    properties: { ...(asksForIndex && { index: INDEX }), ...tool.parameters },
    required: [...(asksForIndex ? ['index'] : []), ...tool.required],
    additionalProperties: false,
  };
  const output = {
    type: 'object',
    properties: tool.output,
    required: tool.outputRequired,
    additionalProperties: false,
  };
  const { title, description, annotations } = tool;
  const shape = { title, description, annotations: { title, openWorldHint: false, ...annotations } };
  mcp.registerTool<ReturnType<typeof schemaOf>, ReturnType<typeof schemaOf>>(
    tool.name,
    { ...shape, inputSchema: schemaOf(input), outputSchema: schemaOf(output) },
    async (given: unknown, context: ServerContext): Promise<CallToolResult> => {
      const { index = around.index ?? '', ...rest } = given as { index?: string };
      const bounds = {
        bytesMax: BYTES_MAX,
        stallMs: STALL_MS,
        headersMs: tool.answerMs,
        signal: context.mcpReq.signal,
      };
      try {
        const told = await tool.run({ server: around.server, index, given: rest as Given, bounds });
        return { content: [{ type: 'text', text: JSON.stringify(told) }], structuredContent: told };
      } catch (error) {
        return { isError: true, content: [{ type: 'text', text: failureText(error, around) }] };
      }
    },
  );
}

const schemaOf = (schema: object) => fromJsonSchema(schema as JsonSchemaType);

/** The remedies of refusals in terms of the tools, by their codes. */
const REMEDIES: Readonly<Record<string, string>> = {
  index_not_found: 'the tool list names the indexes that there are',
};

/** A failure in one line for an agent. */
export function failureText(error: unknown, { log }: Pick<Surroundings, 'log'>): string {
  if (!(error instanceof StartFailure)) {
    log(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return 'pelorus mcp failed by a fault of its own, which its log tells';
  }
  const remedy = error instanceof ApiError ? REMEDIES[error.code] : undefined;
  const text = inOneLine(error.message).trim();
  const shown = text.length > FAILURE_LENGTH_MAX ? `${text.slice(0, FAILURE_LENGTH_MAX)}…` : text;
  return remedy === undefined ? shown : `${shown}: ${remedy}`;
}
