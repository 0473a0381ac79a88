import type { ClientOptions } from '@opensearch-project/opensearch';

/** A domain of Amazon OpenSearch Service. */
export interface AwsOptions {
  /** The region that it is in. */
  readonly region: string;
}

/** Names of the errors by which there are no credentials to sign with. */
const CREDENTIALS: ReadonlySet<string> = new Set(['AwsSigv4SignerError', 'CredentialsProviderError']);

/**
 * The parts of a client that signs its requests, by the credentials that tools of Amazon find: in the environment, in
 * files, of the machine. Loaded here, since few need them.
 */
export async function signing({ region }: AwsOptions): Promise<Pick<ClientOptions, 'Connection' | 'Transport'>> {
  const { AwsSigv4Signer } = await import('@opensearch-project/opensearch/aws-v3');
  const { Connection, Transport } = AwsSigv4Signer({ region, service: 'es' });
  return { Connection, Transport };
}

/** Tells whether a call failed for want of credentials. */
export const isWithoutCredentials = (error: unknown): error is Error =>
  error instanceof Error && CREDENTIALS.has(error.name);
