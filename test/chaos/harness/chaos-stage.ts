import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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
  const connection = await connect(brokerUrl, {
    clientProperties: { connection_name: 'layover chaos' },
  });
  connection.on('error', () => {});
  const table = await startLocalTable();
  return {
    brokerUrl,
    connection,
    table,
    bundleFile: bundle?.file ?? '',
    authorityFile,
    prefix: `chaos-${randomBytes(3).toString('hex')}`,
    async close() {
      await table.stop();
      await connection.close().catch(() => {});
      await rm(folder, { recursive: true, force: true });
    },
  };
}
