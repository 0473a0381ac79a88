import { AwsV4Signer } from 'aws4fetch';

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface S3Place {
  /** Origin of the service; objects are addressed path-style below it. */
  readonly endpoint: string;
  readonly region: string;
}

/** The request for an object: signed with SigV4, or plain when there are no credentials. */
export async function s3Request(
  { endpoint, region }: S3Place,
  bucket: string,
  key: string,
  credentials: S3Credentials | null,
): Promise<{ url: string; headers: Record<string, string> }> {
  const path = [bucket, ...key.split('/')].map(encodeURIComponent).join('/');
  const url = `${endpoint.replace(/\/$/, '')}/${path}`;
  if (credentials === null) return { url, headers: {} };
  const signer = new AwsV4Signer({ url, method: 'GET', service: 's3', region, ...credentials });
  const signed = await signer.sign();
  return { url: signed.url.href, headers: Object.fromEntries(signed.headers) };
}
