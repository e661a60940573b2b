import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { flowFileOf } from '../../infra/flow-file.ts';
import { newInput } from './inputs.ts';
import {
  FIRST_SYNTH_MS,
  ofType,
  orders,
  type Resource,
  type Synthesised,
  synthesise,
} from './stacks.ts';

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

let synth: Synthesised;
beforeAll(() => {
  synth = synthesise(newInput);
}, FIRST_SYNTH_MS);

const list = <T>(value: T | readonly T[]): readonly T[] =>
  Array.isArray(value) ? value : [value as T];

/** `action` of what a policy allows, with the logical id or text of what on. */
function allowed(type: string, prefix: string): { action: string; on: string }[] {
  const policies = ofType(synth, type).filter(([id]) => id.startsWith(prefix));
  return policies.flatMap(([, { Properties }]) =>
    (Properties.PolicyDocument as { Statement: Statement[] }).Statement.filter(
      ({ Effect }) => Effect === 'Allow',
    ).flatMap(({ Action, Resource }) =>
      list(Action).map((action) => ({ action, on: JSON.stringify(Resource) })),
    ),
  );
}
const rights = (part: string) => allowed('AWS::IAM::Policy', `ReplayHandler${part}`);
const actionsOn = (part: string, resource: string) =>
  rights(part)
    .filter(({ on }) => on.includes(resource))
    .map(({ action }) => action)
    .sort();
const named = (type: string, key: string, name: string, from = synth) => {
  const found = ofType(from, type).find(([, { Properties }]) => Properties[key] === name);
  if (found === undefined) throw new Error(`There is no ${type} ${name}.`);
  const [id, { Properties }] = found;
  return { id, Properties };
};
const functionNamed = (name: string, from = synth) =>
  named('AWS::Lambda::Function', 'FunctionName', name, from);
const statementsOf = ({ Properties }: Pick<Resource, 'Properties'>) =>
  (Properties.PolicyDocument as { Statement: Statement[] }).Statement;
const variables = (part: string, from = synth) => {
  const { Environment } = functionNamed(`layover-dev-replay-${part}`, from).Properties;
  return (Environment as { Variables: Record<string, unknown> }).Variables;
};

const PARTS = ['schedule', 'view', 'bodies', 'run', 'configure'];
const OPERATORS = ['view', 'bodies', 'run', 'configure'];

describe('the tables of replay', () => {
  it('can be brought back to any minute, and only plans and runs expire', () => {
    const tables = ofType(synth, 'AWS::DynamoDB::GlobalTable').map(
      ([, { Properties }]) => Properties,
    );
    for (const name of ['layover-dev-replay', 'layover-dev-replay-audit']) {
      const table = tables.find(({ TableName }) => TableName === name);
      expect(JSON.stringify(table?.Replicas)).toContain('"PointInTimeRecoveryEnabled":true');
      expect(table?.BillingMode).toBe('PAY_PER_REQUEST');
      expect(table?.KeySchema).toEqual([
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ]);
      expect(table?.TimeToLiveSpecification).toEqual(
        name.endsWith('audit') ? undefined : { AttributeName: 'expiresAt', Enabled: true },
      );
    }
  });

  it('give nobody the right to change or delete in the audit', () => {
    const onAudit = allowed('AWS::IAM::Policy', '').filter(({ on }) =>
      on.includes('ReplayTablesAudit'),
    );
    expect(onAudit.length).toBeGreaterThan(0);
    for (const { action } of onAudit) {
      expect(['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query']).toContain(action);
    }
  });

  it('let a flow’s function write outcomes, and no lease or budget', () => {
    const [outcomes, ...more] = ofType(synth, 'AWS::IAM::Policy')
      .filter(([id]) => id.startsWith('Floworders'))
      .flatMap(([, policy]) => statementsOf(policy))
      .filter(({ Resource }) => JSON.stringify(Resource).includes('ReplayTablesRuns'));
    expect(more).toEqual([]);
    expect(outcomes?.Condition).toEqual({
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['run#*', 'relapse#orders'] },
    });
    expect(list(outcomes?.Action ?? '')).not.toContain('dynamodb:DeleteItem');
    const consumer = functionNamed('layover-dev-orders');
    expect(JSON.stringify(consumer.Properties.Environment)).toContain(
      '"LAYOVER_REPLAY_TABLE":{"Ref":"ReplayTablesRuns',
    );
  });
});

describe('exports', () => {
  it('are encrypted, versioned, never public, over TLS only, and expire', () => {
    const [[, bucket] = [], ...more] = ofType(synth, 'AWS::S3::Bucket');
    expect(more).toEqual([]);
    expect(bucket?.Properties).toMatchObject({
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      VersioningConfiguration: { Status: 'Enabled' },
      LifecycleConfiguration: { Rules: [{ ExpirationInDays: 365, Status: 'Enabled' }] },
    });
    expect(JSON.stringify(bucket?.Properties.BucketEncryption)).toContain('AES256');
    const [[, policy] = []] = ofType(synth, 'AWS::S3::BucketPolicy');
    expect(JSON.stringify(policy)).toContain('"aws:SecureTransport":"false"');
  });
});

describe('the kill switch', () => {
  it('is never written again by a deployment, since nothing in its definition ever changes', () => {
    const properties = (from: Synthesised) =>
      ofType(from, 'AWS::SSM::Parameter').map(([, { Properties }]) => Properties);
    const held = [{ Name: '/layover/dev/replay/all', Type: 'String', Value: 'on' }];
    expect(properties(synth)).toEqual(held);
    expect(properties(synthesise({ ...newInput, replay: 'off' }))).toEqual(held);
  });

  it('is read by four functions and thrown by one, by name', () => {
    for (const part of PARTS) {
      const may = rights(part).filter(({ action }) => action.startsWith('ssm:'));
      const actions = may.map(({ action }) => action);
      expect([part, actions]).toEqual([
        part,
        {
          bodies: [],
          configure: ['ssm:GetParameters', 'ssm:PutParameter'],
        }[part] ?? ['ssm:GetParameters'],
      ]);
      for (const { on } of may) {
        expect(on).toContain(':parameter/layover/dev/replay/orders"');
        expect(on).not.toContain('*');
      }
    }
  });
});

describe('the schedule', () => {
  const schedule = (from = synth) =>
    ofType(from, 'AWS::Scheduler::Schedule').map(([, { Properties }]) => Properties)[0];

  it('looks every five minutes, and tries nothing again', () => {
    expect(schedule()).toMatchObject({
      ScheduleExpression: 'rate(5 minutes)',
      FlexibleTimeWindow: { Mode: 'OFF' },
      State: 'ENABLED',
      Target: { RetryPolicy: { MaximumRetryAttempts: 0 } },
    });
    synth.template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      MaximumRetryAttempts: 0,
    });
  });

  it('may call one version of one function', () => {
    const target = schedule()?.Target as { Arn: { Ref: string }; RoleArn: unknown };
    expect(target.Arn.Ref).toMatch(/^ReplayHandlerscheduleLive/);
    expect(allowed('AWS::IAM::Policy', 'ReplayScheduleRole')).toEqual([
      { action: 'lambda:InvokeFunction', on: JSON.stringify(target.Arn) },
    ]);
  });

  it('only observes unless told otherwise, and stands still when told so', () => {
    expect(variables('schedule')).toMatchObject({ LAYOVER_REPLAY_MODE: 'observe' });
    const on = synthesise({ ...newInput, replay: 'on' });
    expect(variables('schedule', on)).toMatchObject({ LAYOVER_REPLAY_MODE: 'on' });
    const off = synthesise({ ...newInput, replay: 'off' });
    expect(schedule(off)?.State).toBe('DISABLED');
    expect(ofType(off, 'AWS::Lambda::Url')).toHaveLength(4);
  });

  it('waits for settle failures and regressions of the flow to be over, by alarms there are', () => {
    const quiet = JSON.parse(String(variables('schedule').LAYOVER_QUIET_ALARMS));
    expect(quiet).toEqual({
      orders: ['layover-dev-orders-settle-failures', 'layover-dev-orders-replay-regression'],
      mails: ['layover-dev-mails-settle-failures', 'layover-dev-mails-replay-regression'],
    });
    const names = ofType(synth, 'AWS::CloudWatch::Alarm').map(
      ([, { Properties }]) => Properties.AlarmName,
    );
    expect(names).toEqual(expect.arrayContaining(Object.values(quiet).flat()));
  });

  it('has alarms that say nothing while it is off', () => {
    const enabled = (from: Synthesised, name: string) =>
      ofType(from, 'AWS::CloudWatch::Alarm').find(
        ([, { Properties }]) => Properties.AlarmName === `layover-dev-orders-${name}`,
      )?.[1].Properties.ActionsEnabled;
    const off = synthesise({ ...newInput, replay: 'off' });
    for (const name of ['replay-silent', 'replay-switched-off']) {
      expect([enabled(synth, name), enabled(off, name)]).toEqual([true, false]);
    }
    expect(enabled(off, 'replay-regression')).toBe(true);
  });
});

describe('what people call', () => {
  it('is told the mappings where they are looked at or switched, and there only', () => {
    for (const part of PARTS) {
      const told = 'LAYOVER_MAPPINGS' in variables(part);
      expect([part, told]).toEqual([part, ['view', 'configure'].includes(part)]);
    }
  });

  it('is behind a URL that only signed requests pass', () => {
    const urls = ofType(synth, 'AWS::Lambda::Url').map(([, { Properties }]) => Properties);
    expect(urls).toHaveLength(4);
    for (const { AuthType, Qualifier } of urls) {
      expect([AuthType, Qualifier]).toEqual(['AWS_IAM', 'live']);
    }
  });

  it('is never invoked directly, where anybody could claim to be anybody', () => {
    for (const [, policy] of ofType(synth, 'AWS::IAM::ManagedPolicy')) {
      const invoke = statementsOf(policy).filter(({ Action }) =>
        list(Action).includes('lambda:InvokeFunction'),
      );
      expect(invoke.map(({ Condition }) => Condition)).toEqual([
        { Bool: { 'lambda:InvokedViaFunctionUrl': 'true' } },
      ]);
    }
    synth.template.resourcePropertiesCountIs('AWS::Lambda::Permission', { Principal: '*' }, 0);
  });

  it.each(OPERATORS)('%s has a policy of its own to attach, for that function alone', (part) => {
    const policy = named(
      'AWS::IAM::ManagedPolicy',
      'ManagedPolicyName',
      `layover-dev-replay-${part}`,
    );
    const Statement = statementsOf(policy);
    expect(Statement.map(({ Action }) => Action)).toEqual([
      'lambda:GetFunctionUrlConfig',
      'lambda:InvokeFunctionUrl',
      'lambda:InvokeFunction',
    ]);
    for (const { Resource } of Statement) {
      for (const one of list(Resource)) {
        expect(JSON.stringify(one)).toContain(`"ReplayHandler${part}Function`);
      }
    }
    const output = `Replay${part[0]?.toUpperCase()}${part.slice(1)}PolicyArn`;
    expect(synth.outputs[output]?.Value).toEqual({ Ref: policy.id });
  });

  it('changes nothing where it only shows', () => {
    expect(actionsOn('view', 'ReplayTables')).toEqual(['dynamodb:GetItem', 'dynamodb:Query']);
    const all = [...rights('view'), ...rights('bodies')].map(({ action }) => action);
    for (const action of all) {
      expect(action).toMatch(
        /^(logs|ec2|secretsmanager):|^dynamodb:(GetItem|Query)$|^ssm:GetParameters$|^lambda:GetEventSourceMapping$/,
      );
    }
  });

  it('logs in as somebody who can’t publish where it only shows, and not at all to switch', () => {
    const user = (part: string) => JSON.stringify(variables(part).LAYOVER_BROKER_SECRET_ARN);
    for (const part of ['view', 'bodies']) expect(user(part)).toContain('"Userreplayview');
    for (const part of ['run', 'schedule']) expect(user(part)).toMatch(/"Userreplay[^v]/);
    const secrets = rights('configure').filter(({ action }) => action.startsWith('secrets'));
    expect(secrets).toEqual([]);
  });

  it('switches the flows’ mappings from one function only', () => {
    for (const part of PARTS) {
      const actions = rights(part).map(({ action }) => action);
      const may = actions.includes('lambda:UpdateEventSourceMapping');
      expect([part, may]).toEqual([part, part === 'configure']);
    }
  });

  it('writes exports, reads none, where it runs', () => {
    for (const part of PARTS) {
      const actions = rights(part)
        .map(({ action }) => action)
        .filter((action) => action.startsWith('s3:'));
      const may = ['schedule', 'run'].includes(part) ? ['s3:PutObject'] : [];
      expect([part, actions]).toEqual([part, may]);
    }
  });
});

describe('the module of a flow', () => {
  const folder = mkdtempSync(join(tmpdir(), 'layover-flow-'));
  writeFileSync(join(folder, 'flow.js'), "export const flow = { name: 'orders' };\n");
  const handlerFile = join(folder, 'handler.js');

  it('is beside its handler, unless it is named', async () => {
    expect(await flowFileOf({ flow: orders, handlerFile })).toBe(join(folder, 'flow.js'));
  });

  it('is refused when it is missing, or has another flow', async () => {
    await expect(
      flowFileOf({ flow: orders, handlerFile: join(folder, 'none/handler.js') }),
    ).rejects.toThrow(/There is no .*none.flow\.js\. Give flowFile/);
    await expect(flowFileOf({ flow: { ...orders, name: 'mails' }, handlerFile })).rejects.toThrow(
      /exports the flow 'orders'\. Give flowFile/,
    );
  });
});
