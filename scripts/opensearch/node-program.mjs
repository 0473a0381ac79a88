import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { giveToUnprivileged } from '../processes/nobody.mjs';
import { HOME } from './install.mjs';

/** The settings of a node that is a cluster by itself. */
const ALONE = ['discovery.type: single-node'];

/**
 * Lays out what a node needs, on the loopback interface and without credentials. Returns its program, which refuses to
 * run as root.
 *
 * @param {{ folder: string, java: string, port: number, transportPort: number, heap: string,
 *   javaOptions?: readonly string[], cluster?: readonly string[] }} node `folder` is empty, `java` a home of Java, `heap`
 *   a size such as `1g`; `cluster` are lines of settings, by default those of a node that is a cluster by itself
 */
export function nodeProgram({ folder, java, port, transportPort, heap, javaOptions = [], cluster = ALONE }) {
  const [config, data, logs] = [join(folder, 'config'), join(folder, 'data'), join(folder, 'logs')];
  const temporary = join(folder, 'tmp');
  for (const each of [data, logs, temporary]) mkdirSync(each, { recursive: true });
  cpSync(join(HOME, 'config'), config, { recursive: true });
  // Logs of the virtual machine would go to the folder of the program.
  const options = readFileSync(join(HOME, 'config', 'jvm.options'), 'utf8').split('\n');
  const kept = options.filter((line) => !line.includes('logs/') && !line.includes('HeapDumpPath'));
  writeFileSync(join(config, 'jvm.options'), kept.join('\n'));
  const settings = [
    ...[...cluster, 'network.host: 127.0.0.1', `http.port: ${port}`],
    ...[`transport.port: ${transportPort}`, `path.data: ${data}`, `path.logs: ${logs}`],
    'cluster.routing.allocation.disk.threshold_enabled: false',
  ];
  writeFileSync(join(config, 'opensearch.yml'), `${settings.join('\n')}\n`);
  giveToUnprivileged(folder);
  const jvmOptions = [`-Xms${heap}`, `-Xmx${heap}`, `-Dopensearch.logs.base_path=${logs}`, ...javaOptions];
  return {
    command: 'bash',
    args: [join(HOME, 'bin', 'opensearch')],
    cwd: folder,
    env: {
      OPENSEARCH_JAVA_HOME: java,
      OPENSEARCH_PATH_CONF: config,
      OPENSEARCH_TMPDIR: temporary,
      OPENSEARCH_JAVA_OPTS: jvmOptions.join(' '),
      HOME: folder,
    },
  };
}
