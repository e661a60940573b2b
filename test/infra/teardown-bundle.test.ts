import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { bundleHandlers } from '../../infra/bundle.ts';
import { runBundle } from '../integration/infra/run-bundle.ts';

/** Stands for what Lambda's runtime brings along: answers with one interface, or none. */
const CLIENT = `

export class DescribeNetworkInterfacesCommand { constructor(input) { this.input = input; } }
export class EC2Client {
  async send({ input }) {
    console.log(JSON.stringify({ looked: input.Filters }));
    return { NetworkInterfaces: process.env.REMAINS === 'yes' ? [{ NetworkInterfaceId: 'eni-7', Description: 'AWS Lambda VPC ENI-x' }] : [] };
  }
}
`;

async function bundle(): Promise<string> {
  const outDir = mkdtempSync(join(tmpdir(), 'layover-teardown-'));
  const file = fileURLToPath(new URL('../../functions/teardown/handler.ts', import.meta.url));
  await bundleHandlers({ handlers: { index: file }, outDir });
  const client = join(outDir, 'node_modules/@aws-sdk/client-ec2');
  mkdirSync(client, { recursive: true });
  writeFileSync(join(client, 'index.mjs'), CLIENT);
  writeFileSync(
    join(client, 'package.json'),
    JSON.stringify({ name: '@aws-sdk/client-ec2', exports: './index.mjs' }),
  );
  return outDir;
}

it('the teardown guard, as bundled, looks for Lambda’s interfaces in the broker’s group only when deleted', async () => {
  const folder = await bundle();
  const send = (RequestType: string, env = {}) =>
    runBundle(
      folder,
      { RequestType, ResourceProperties: { SecurityGroupId: 'sg-1' } },
      env,
      25_000,
    );

  const created = await send('Create');
  expect(created).toEqual({
    result: { PhysicalResourceId: 'layover-mapping-teardown' },
    lines: [],
  });

  const deleted = await send('Delete');
  expect(deleted.error).toBeUndefined();
  expect(deleted.lines).toEqual([
    {
      looked: [
        { Name: 'group-id', Values: ['sg-1'] },
        { Name: 'description', Values: ['AWS Lambda VPC ENI*'] },
      ],
    },
  ]);

  const remaining = await send('Delete', { REMAINS: 'yes' });
  expect(remaining.error?.message).toContain('eni-7 (AWS Lambda VPC ENI-x)');
});
