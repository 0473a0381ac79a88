/** Other services whose collections are imported. */
export const REMOTES = ['opensearch', 'qdrant', 'typesense', 'meilisearch', 'weaviate', 'chroma'] as const;
export type RemoteName = (typeof REMOTES)[number];
