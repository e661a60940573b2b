import { brokerConfig, brokerName } from '../broker/config.ts';
import { SecretCredentials } from '../broker/credentials.ts';
import { createLogin } from '../broker/login.ts';
import type { Management } from '../broker/management.ts';
import { segment } from '../broker/management.ts';
import { managementOf } from '../broker/management-login.ts';
import type { BrokerConfig } from '../broker/types.ts';
import { type ApplyReport, applyTopology, TopologyApplyError } from './apply.ts';
import { type ManagedUser, parseProperties, type TopologyRequest } from './resource-properties.ts';

/** What the CDK Provider framework hands over, as far as it is read. */
export interface ResourceEvent {
  readonly RequestType: 'Create' | 'Update' | 'Delete';
  readonly ResourceProperties: Readonly<Record<string, unknown>>;
  readonly PhysicalResourceId?: string;
}

export interface ResourceResponse {
  readonly PhysicalResourceId: string;
  readonly Data: Readonly<Record<string, string>>;
}

/** Always the same, so that no update ever looks like a replacement, which would end in a Delete. */
export const PHYSICAL_ID = 'layover-topology';

/** Time kept for the answer, of what the function has. */
const SPARE_MS = 15_000;
const CONNECT_PATIENCE_MS = 30_000;

/**
 * The custom resource's Lambda. Create and Update make virtual host, users and queues as the
 * properties say; the same event twice changes nothing. On a rollback CloudFormation sends an Update
 * with the previous properties, and so the previous model is applied again. Delete touches nothing:
 * queues may hold messages. What it throws is what an engineer reads in the CloudFormation console.
 */
export async function handler(
  event: ResourceEvent,
  context?: { getRemainingTimeInMillis(): number },
): Promise<ResourceResponse> {
  if (event.RequestType === 'Delete') return { PhysicalResourceId: PHYSICAL_ID, Data: {} };
  const request = parseProperties(event.ResourceProperties);
  const deadlineAtMs = Date.now() + (context?.getRemainingTimeInMillis() ?? 60_000) - SPARE_MS;
  const config = withVhost(brokerConfig(process.env), request.vhost);
  await makeUsers(config, request, deadlineAtMs);
  const report = await applyQueues(config, request, deadlineAtMs);
  return {
    PhysicalResourceId: PHYSICAL_ID,
    Data: {
      created: String(report.created.length),
      unchanged: String(report.unchanged.length),
    },
  };
}

async function makeUsers(
  config: BrokerConfig,
  { vhost, users }: TopologyRequest,
  deadlineAtMs: number,
): Promise<void> {
  if (users.length === 0) return;
  const managementUrl = process.env.LAYOVER_MANAGEMENT_URL;
  const management = await managementOf(config, {
    deadlineAtMs,
    now: Date.now,
    ...(managementUrl ? { managementUrl } : {}),
  });
  // Whoever makes a virtual host is given every permission on it; the default one exists.
  if (vhost !== '/') await management.put(`vhosts/${segment(vhost)}`);
  for (const user of users) await makeUser(management, vhost, user, deadlineAtMs);
}

async function makeUser(
  management: Management,
  vhost: string,
  { secretArn, tags, configure, write, read }: ManagedUser,
  deadlineAtMs: number,
): Promise<void> {
  const secret = new SecretCredentials(secretArn, Date.now);
  const { username, password } = await secret.read({ fresh: true, deadlineAtMs });
  await management.put(`users/${segment(username)}`, { password, tags: tags.join(',') });
  await management.put(`permissions/${segment(vhost)}/${segment(username)}`, {
    configure,
    write,
    read,
  });
}

async function applyQueues(
  config: BrokerConfig,
  { topology, mode }: TopologyRequest,
  deadlineAtMs: number,
): Promise<ApplyReport> {
  const login = createLogin(config, { connectionName: 'layover/topology', now: Date.now });
  const connection = await login(Math.min(deadlineAtMs, Date.now() + CONNECT_PATIENCE_MS));
  try {
    const timeoutMs = Math.max(1_000, deadlineAtMs - Date.now());
    const report = await applyTopology(connection.model, topology, { mode, timeoutMs });
    if (report.problems.length > 0) throw new TopologyApplyError(report.problems);
    return report;
  } catch (error) {
    if (!(error instanceof TopologyApplyError)) throw error;
    const many = error.problems.length;
    throw new Error(
      `${many} ${many === 1 ? 'thing' : 'things'} at ${brokerName(config)} ${many === 1 ? 'is' : 'are'} not as the flows want; everything else was ${mode === 'apply' ? 'applied' : 'checked'}, nothing was deleted.\n${error.message}`,
      { cause: error },
    );
  } finally {
    await connection.close();
  }
}

/** The properties name the virtual host; what the environment says is where the broker is. */
function withVhost(config: BrokerConfig, vhost: string): BrokerConfig {
  if (config.kind === 'secret') return { ...config, vhost };
  const url = new URL(config.url);
  url.pathname = `/${encodeURIComponent(vhost)}`;
  return { kind: 'url', url: url.href };
}
