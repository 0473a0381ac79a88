/** The version of CycloneDX that the bills are written in. */
const SPEC_VERSION = '1.6';

/**
 * The bill of materials of a package, in CycloneDX: the same from the same sources, so without a time.
 *
 * @param {{ name: string, version: string, license: string }} subject
 * @param {object[]} components as `npmComponent` and `crateComponent` make them
 */
export function billOfMaterials({ name, version, license }, components) {
  const component = { type: 'library', ...described(npmUrl(name, version), name, version, license) };
  return {
    $schema: `http://cyclonedx.org/schema/bom-${SPEC_VERSION}.schema.json`,
    bomFormat: 'CycloneDX',
    specVersion: SPEC_VERSION,
    version: 1,
    metadata: { component },
    // One that lies in several places is one part.
    components: [...new Map(components.map((one) => [one['bom-ref'], one])).values()],
  };
}

/** @param {{ name: string, version: string, license: string, integrity?: string }} locked */
export function npmComponent({ name, version, license, integrity }) {
  const [algorithm, hash] = integrity?.split('-', 2) ?? [];
  const hashes = algorithm === 'sha512' && [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }];
  return { type: 'library', ...described(npmUrl(name, version), name, version, license), ...(hashes && { hashes }) };
}

/** @param {import('./rust-crates.mjs').LinkedCrate} crate */
export function crateComponent({ name, version, license, checksum }) {
  const hashes = checksum && [{ alg: 'SHA-256', content: checksum }];
  const url = `pkg:cargo/${name}@${encodeURIComponent(version)}`;
  return { type: 'library', ...described(url, name, version, license), ...(hashes && { hashes }) };
}

function described(purl, name, version, license) {
  return { 'bom-ref': purl, name, version, licenses: [{ expression: license }], purl };
}

const npmUrl = (name, version) => `pkg:npm/${name.replace('@', '%40')}@${version}`;
