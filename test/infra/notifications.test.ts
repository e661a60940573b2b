import { App, Stack } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { Notifications } from '../../infra/constructs/notifications.ts';
import { defineEnvironment } from '../../infra/environment-rules.ts';
import { newInput } from './inputs.ts';

const warnings = (alarms: { page: readonly string[]; ticket: readonly string[] }) => {
  const stack = new Stack(new App({ analyticsReporting: false }), 'S');
  const environment = defineEnvironment('prod', { ...newInput, alarms });
  new Notifications(stack, 'Notifications', { environment });
  return Annotations.fromStack(stack).findWarning('*', Match.anyValue());
};

describe('the recipients of alarms', () => {
  it.each([
    [{ page: [], ticket: [] }, 'alarms.page and alarms.ticket'],
    [{ page: ['a@example.com'], ticket: [] }, 'alarms.ticket'],
  ])('that are missing are a warning at synth: %j', (alarms, named) => {
    const [warning, ...more] = warnings(alarms);

    expect(more).toEqual([]);
    expect(String(warning?.entry.data)).toContain(`Nobody is told of alarms in prod: ${named} of`);
  });

  it('that are all there are none', () => {
    expect(warnings({ page: ['a@example.com'], ticket: ['https://example.com/hook'] })).toEqual([]);
  });
});
