import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { QueryDefinition, QueryString } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { SETTLED } from '../../functions/consumer/report.ts';
import type { Environment } from '../environment-types.ts';

export interface SavedQueriesProps {
  readonly environment: Environment;
  /** Of the flows' functions. */
  readonly logGroups: readonly ILogGroup[];
}

/** The questions asked of the logs at night, saved in Logs Insights under `layover/<environment>/`. */
export const SAVED_QUERIES = {
  'parked by signature': new QueryString({
    fields: ['@timestamp'],
    filterStatements: [`message = "${SETTLED}"`, 'verdict = "park"'],
    statsStatements: [
      'count(*) as parked, earliest(@timestamp) as firstSeen, latest(@timestamp) as lastSeen, latest(errorMessage) as example by flow, class, rule, errorName, signature',
    ],
    sort: 'parked desc',
    limit: 50,
  }),
  'history of one message': new QueryString({
    fields: [
      '@timestamp',
      'flow',
      'queue',
      'attempt',
      'verdict',
      'class',
      'rule',
      'errorName',
      'errorMessage',
      'nextAt',
      'replayRun',
    ],
    filterStatements: ['messageId = "put the message id here"'],
    sort: '@timestamp asc',
    limit: 1_000,
  }),
  'retry storm': new QueryString({
    filterStatements: [`message = "${SETTLED}"`, 'verdict in ["retry", "deferred", "isolated"]'],
    statsStatements: ['count(*) as n by bin(1m), flow, verdict, class, errorName'],
    sort: 'n desc',
    limit: 200,
  }),
} as const;

export class SavedQueries extends Construct {
  constructor(scope: Construct, id: string, { environment, logGroups }: SavedQueriesProps) {
    super(scope, id);
    for (const [name, queryString] of Object.entries(SAVED_QUERIES)) {
      new QueryDefinition(this, name, {
        queryDefinitionName: `layover/${environment.name}/${name}`,
        queryString,
        logGroups: [...logGroups],
      });
    }
  }
}
