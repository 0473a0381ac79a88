/**
 * The systems that packages with machine code are made for: those of the matrix in `.github/workflows/prebuilt.yml`.
 * `npm` holds the fields by which npm tells where a package belongs, `target` is Rust's name of the same.
 */
export const PLATFORMS = [
  { name: 'linux-x64-gnu', npm: { os: ['linux'], cpu: ['x64'], libc: ['glibc'] }, target: 'x86_64-unknown-linux-gnu' },
  {
    name: 'linux-arm64-gnu',
    npm: { os: ['linux'], cpu: ['arm64'], libc: ['glibc'] },
    target: 'aarch64-unknown-linux-gnu',
  },
  { name: 'linux-x64-musl', npm: { os: ['linux'], cpu: ['x64'], libc: ['musl'] }, target: 'x86_64-unknown-linux-musl' },
  {
    name: 'linux-arm64-musl',
    npm: { os: ['linux'], cpu: ['arm64'], libc: ['musl'] },
    target: 'aarch64-unknown-linux-musl',
  },
  { name: 'darwin-x64', npm: { os: ['darwin'], cpu: ['x64'] }, target: 'x86_64-apple-darwin' },
  { name: 'darwin-arm64', npm: { os: ['darwin'], cpu: ['arm64'] }, target: 'aarch64-apple-darwin' },
  { name: 'win32-x64-msvc', npm: { os: ['win32'], cpu: ['x64'] }, target: 'x86_64-pc-windows-msvc' },
];

/** Tells whether ONNX Runtime is built for a platform: its publisher leaves out musl and older Macs. */
export function hasOnnxRuntime({ name }) {
  return !name.endsWith('-musl') && name !== 'darwin-x64';
}
