import { PLATFORMS as NAMES } from '../../bindings/node/platform.js';

const SYSTEMS = { linux: 'unknown-linux', darwin: 'apple-darwin', win32: 'pc-windows' };
const PROCESSORS = { x64: 'x86_64', arm64: 'aarch64' };
const C_LIBRARIES = { gnu: 'glibc', musl: 'musl' };

/**
 * The systems that packages with machine code are made for. `npm` holds the fields by which npm tells where a package
 * belongs, `target` is Rust's name of the same.
 */
export const PLATFORMS = NAMES.map((name) => {
  const [os, cpu, abi] = name.split('-');
  const libc = C_LIBRARIES[abi];
  return {
    name,
    npm: { os: [os], cpu: [cpu], ...(libc && { libc: [libc] }) },
    target: [PROCESSORS[cpu], SYSTEMS[os], ...(abi ? [abi] : [])].join('-'),
  };
});

/** Tells whether ONNX Runtime is built for a platform: its publisher leaves out musl and older Macs. */
export function hasOnnxRuntime({ name }) {
  return !name.endsWith('-musl') && name !== 'darwin-x64';
}
