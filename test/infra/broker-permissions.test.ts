import { describe, expect, it } from 'vitest';
import { buildTopology } from '../../functions/topology/model.ts';
import {
  flowPermissions,
  probePermissions,
  replayPermissions,
  replayViewPermissions,
} from '../../infra/broker-permissions.ts';
import { FLOWS } from './stacks.ts';

const topology = buildTopology(FLOWS);
const names = topology.queues.map(({ name }) => name);
const matches = (pattern: string, candidates: readonly string[] = names) =>
  candidates.filter((name) => new RegExp(pattern).test(name));

describe('a flow’s user', () => {
  const { configure, write, read, tags } = flowPermissions(topology, 'mails');

  it('reads the two queues its mappings read, and nothing else', () => {
    expect(matches(read)).toEqual(['crm.mails', 'crm.mails.isolated']);
    expect(matches(read, ['crmxmails', 'crm.mails.parked', 'crm.mails2'])).toEqual([]);
  });

  it('publishes through the default exchange only, and declares nothing', () => {
    expect(matches(write, ['amq.default', 'amq.topic', 'shop', 'amqxdefault'])).toEqual([
      'amq.default',
    ]);
    expect(matches(configure)).toEqual([]);
    expect(tags).toEqual([]);
  });
});

describe('the probe’s user', () => {
  it('reads figures and no message', () => {
    const { read, write, tags } = probePermissions(topology, true);
    expect(matches(read)).toEqual([]);
    expect(matches(write, [...names, 'amq.default'])).toEqual([]);
    expect(tags).toEqual(['monitoring']);
  });

  it('may remove tiers, but no other queue', () => {
    const { configure } = probePermissions(topology, true);
    const queues = topology.queues.filter(({ name }) => new RegExp(configure).test(name));
    expect(new Set(queues.map(({ role }) => role))).toEqual(new Set(['wait']));
    expect(matches(configure, ['orders.wait.33s', 'other.wait.33s', 'orders.wait.33s.x'])).toEqual([
      'orders.wait.33s',
    ]);
  });

  it('may remove nothing where somebody else owns the queues', () => {
    expect(matches(probePermissions(topology, false).configure)).toEqual([]);
  });
});

describe('the users of replay', () => {
  it('read parking and nothing else, and declare nothing but its locks', () => {
    const { read, configure, tags } = replayPermissions(topology);
    expect(matches(read)).toEqual(['orders.parked', 'crm.mails.parked']);
    expect(matches(configure, [...names, 'orders.parked.lock', 'crmxmails.parked.lock'])).toEqual([
      'orders.parked.lock',
    ]);
    expect(tags).toEqual(['management']);
  });

  it('publish through the default exchange, unless they only look', () => {
    const exchanges = ['amq.default', 'amq.topic', 'shop'];
    expect(matches(replayPermissions(topology).write, exchanges)).toEqual(['amq.default']);
    expect(matches(replayViewPermissions(topology).write, exchanges)).toEqual([]);
  });
});
