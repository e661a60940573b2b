import { setTimeout as pause } from 'node:timers/promises';
import { type NetworkInterface, waitForInterfaces } from './wait-for-interfaces.ts';

export interface TeardownEvent {
  readonly RequestType: 'Create' | 'Update' | 'Delete';
  readonly ResourceProperties: { readonly SecurityGroupId: string };
}

/** The two names used of the EC2 client, which Lambda's runtime brings along. */
interface Ec2 {
  readonly EC2Client: new () => {
    send(command: unknown): Promise<{
      readonly NetworkInterfaces?: readonly {
        readonly NetworkInterfaceId?: string;
        readonly Description?: string;
      }[];
    }>;
  };
  readonly DescribeNetworkInterfacesCommand: new (input: object) => unknown;
}

/** Not bundled: a client of several megabytes for one call at the end of a stack's life. */
const EC2_CLIENT = '@aws-sdk/client-ec2';
const SPARE_MS = 20_000;

/** Custom resource that does nothing until it is deleted: then it waits for the mappings' interfaces. */
export async function handler(
  event: TeardownEvent,
  context: { getRemainingTimeInMillis(): number },
): Promise<{ readonly PhysicalResourceId: string }> {
  if (event.RequestType === 'Delete') {
    await waitForInterfaces({
      list: await interfacesOf(event.ResourceProperties.SecurityGroupId),
      pause,
      now: Date.now,
      deadlineAtMs: Date.now() + context.getRemainingTimeInMillis() - SPARE_MS,
    });
  }
  return { PhysicalResourceId: 'layover-mapping-teardown' };
}

async function interfacesOf(groupId: string): Promise<() => Promise<readonly NetworkInterface[]>> {
  const { EC2Client, DescribeNetworkInterfacesCommand } = (await import(EC2_CLIENT)) as Ec2;
  const client = new EC2Client();
  return async () => {
    const { NetworkInterfaces = [] } = await client.send(
      new DescribeNetworkInterfacesCommand({
        Filters: [
          { Name: 'group-id', Values: [groupId] },
          // The broker's own are in the group as well, and stay as long as it does.
          { Name: 'description', Values: ['AWS Lambda VPC ENI*'] },
        ],
      }),
    );
    return NetworkInterfaces.map(({ NetworkInterfaceId = '?', Description = '' }) => ({
      id: NetworkInterfaceId,
      description: Description,
    }));
  };
}
