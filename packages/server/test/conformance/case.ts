/** A request and the whole of its expected answer. */
export interface Exchange {
  /** Method and target in one, `POST /indexes/a/search`. */
  readonly request: string;
  /** Sent as JSON; text and bytes are sent as they are. A function makes it of the last cursor that was answered. */
  readonly body?: unknown;
  /** Instead of `content-type: application/json`, which a body has otherwise. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  /** The whole answer, with matchers for what differs from run to run; any answer where it is left out. */
  readonly answer?: unknown;
  /** The same as it is spelt, for numbers that JavaScript cannot hold. */
  readonly text?: unknown;
  /** Headers that the answer must have; undefined for those that it must not have. */
  readonly answerHeaders?: Readonly<Record<string, unknown>>;
  /** The answer where indexes are on a cluster, if that cannot give this one. */
  readonly onCluster?: Expected;
}

/** The answer that a request must get. */
export type Expected = Omit<Exchange, 'request' | 'body' | 'headers' | 'onCluster'>;

/** Something that the interface promises, and the exchanges that show it, in their order. */
export interface Case {
  /**
   * Section of `docs/interface` that promises it, as its heading names it: `6.1`, `search 3.1`, `models 2.5`.
   */
  readonly section: string;
  readonly about: string;
  readonly exchanges: readonly Exchange[];
}

/** A small model of the operator's own. */
export interface SmallModel {
  /** By their names in its folder. */
  readonly files: Readonly<Record<string, Uint8Array | string>>;
  readonly properties: object;
}

/** Cases on one server. Each may run alone: it stands on the preparation and on nothing that another case does. */
export interface Part {
  readonly title: string;
  /** Variables of the server's environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Models that the server has, by name. */
  readonly models?: Readonly<Record<string, SmallModel>>;
  /** Exchanges before the first case. */
  readonly preparation: readonly Exchange[];
  readonly cases: readonly Case[];
}
