import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type ChannelModel, connect } from 'amqplib';
import { bundleHandlers } from '../../../infra/bundle.ts';
import { type LocalTable, startLocalTable } from '../../../infra/local/local-table.ts';
import { AUTHORITY_PEM } from '../../helpers/tls-fixture.ts';

const HANDLER = fileURLToPath(new URL('../functions/chaos.ts', import.meta.url));

/** What all scenes of a file share: one connection to the broker, one table, one bundle. */
export interface ChaosStage {
  readonly brokerUrl: string;
  readonly connection: ChannelModel;
  readonly table: LocalTable;
  readonly bundleFile: string;
  /** Compiled code of the bundle: functions are started many times over. */
  readonly compileCache: string;
  /** The certificate authority of {@link startTlsFront}, as a file a function can be pointed to. */
  readonly authorityFile: string;
  /** Begins the name of every queue of this stage, so that runs beside each other don't meet. */
  readonly prefix: string;
  close(): Promise<void>;
}

export async function openChaosStage(brokerUrl: string): Promise<ChaosStage> {
  const folder = await mkdtemp(join(tmpdir(), 'layover-chaos-'));
  const authorityFile = join(folder, 'authority.pem');
  await writeFile(authorityFile, AUTHORITY_PEM);
  const [bundle] = await bundleHandlers({ handlers: { chaos: HANDLER }, outDir: folder });
  const bundleFile = bundle?.file ?? '';
  const compileCache = join(folder, 'compiled');
  await warmUp(bundleFile, compileCache);
  const connection = await connect(brokerUrl, {
    clientProperties: { connection_name: 'layover chaos' },
  });
  connection.on('error', () => {});
  const table = await startLocalTable();
  return {
    brokerUrl,
    connection,
    table,
    bundleFile,
    compileCache,
    authorityFile,
    prefix: `chaos-${randomBytes(3).toString('hex')}`,
    async close() {
      await table.stop();
      await connection.close().catch(() => {});
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Imports the bundle once in a process that ends well: a killed one never writes the cache. */
async function warmUp(bundleFile: string, compileCache: string): Promise<void> {
  const definition = { name: 'warm-up', owner: 'tests', runbook: 'none', impact: 'none' };
  const script = `import(${JSON.stringify(pathToFileURL(bundleFile).href)}).then(() => process.exit(0))`;
  await promisify(execFile)(process.execPath, ['--no-warnings', '-e', script], {
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: compileCache,
      CHAOS_FLOW: JSON.stringify(definition),
    },
  });
}
