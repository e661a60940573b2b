import { describe, expect, it } from 'vitest';
import { mappingLines, mappingMetrics } from '../../../functions/probe/mapping-readings.ts';
import type { MappingState } from '../../../functions/probe/mapping-states.ts';

const on = (id: string, lastResult = 'OK'): MappingState => ({
  kind: 'known',
  id,
  state: 'Enabled',
  lastResult,
});
const off: MappingState = {
  kind: 'known',
  id: 'off',
  state: 'Disabled',
  lastResult: 'PROBLEM: Function call failed',
  reason: 'ESM_DISABLED',
};
const unknown: MappingState = { kind: 'unknown', id: 'dark', why: 'TimeoutError: too slow' };

describe('the figures of a flow’s mappings', () => {
  it('are printed as zeros while both read', () => {
    expect(mappingMetrics([on('a'), on('b', 'No records processed')])).toEqual({
      MappingsNotEnabled: 0,
      MappingProblems: 0,
    });
  });

  it('are zeros for a mapping that has not polled yet', () => {
    const fresh: MappingState = { kind: 'known', id: 'a', state: 'Enabled' };
    expect(mappingMetrics([fresh])).toEqual({ MappingsNotEnabled: 0, MappingProblems: 0 });
  });

  it.each([
    'Disabled',
    'Disabling',
    'Enabling',
    'Creating',
    'Updating',
    'Deleting',
    'Deleted',
    'New',
  ])('count %s as not enabled, whatever AWS adds to its states', (state) => {
    expect(mappingMetrics([on('a'), { kind: 'known', id: 'b', state }])).toEqual({
      MappingsNotEnabled: 1,
      MappingProblems: 0,
    });
  });

  it('count a problem apart, since a mapping that is on may have one', () => {
    expect(mappingMetrics([on('a', 'PROBLEM: Connection error. Please check…'), on('b')])).toEqual({
      MappingsNotEnabled: 0,
      MappingProblems: 1,
    });
    expect(mappingMetrics([off, off])).toEqual({ MappingsNotEnabled: 2, MappingProblems: 2 });
  });

  it('are unknown, not zero, when one of them could not be read', () => {
    expect(mappingMetrics([on('a'), unknown])).toEqual({});
    expect(mappingMetrics([off, unknown])).toEqual({});
  });

  it('are absent for a flow whose mappings nobody named', () => {
    expect(mappingMetrics(undefined)).toEqual({});
    expect(mappingMetrics([])).toEqual({});
  });
});

describe('the lines on mappings', () => {
  it('say nothing while everything works', () => {
    expect(mappingLines({ orders: [on('a'), on('b')], mails: [] })).toEqual([]);
  });

  it('say what Lambda says, and of which flow, so that a filter on the flow finds them', () => {
    const states = { orders: [on('a', 'PROBLEM: Connection error'), off], mails: [unknown] };
    expect(mappingLines(states).map((line) => JSON.parse(line))).toEqual([
      {
        message: 'mapping has a problem',
        flow: 'orders',
        mapping: 'a',
        state: 'Enabled',
        lastResult: 'PROBLEM: Connection error',
      },
      {
        message: 'mapping not enabled',
        flow: 'orders',
        mapping: 'off',
        state: 'Disabled',
        lastResult: 'PROBLEM: Function call failed',
        reason: 'ESM_DISABLED',
      },
      {
        message: 'mapping state unknown',
        flow: 'mails',
        mapping: 'dark',
        why: 'TimeoutError: too slow',
      },
    ]);
  });
});
