// The first import of the entry point: evaluated before any package that an older Node cannot load.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 19)) {
  console.error(`pelorus needs Node 22.19 or newer; this is ${process.versions.node}`);
  process.exit(1);
}
