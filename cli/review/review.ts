import type { Flow } from '../../functions/policy/types.ts';
import { buildTopology } from '../../functions/topology/model.ts';
import { order, sideEffects } from './effects.ts';
import { retention, whoMayReplay, whoOwnsParking } from './parking.ts';
import { personalData } from './privacy.ts';
import { howLong, howOften, whatIsRetried, whereTheCountLives } from './retries.ts';
import { whatSurvives } from './survival.ts';
import type { Topic } from './topic.ts';

export interface Review {
  readonly flow: string;
  readonly owner: string;
  readonly topics: readonly Topic[];
}

const TOPICS = [
  whatIsRetried,
  howOften,
  howLong,
  whereTheCountLives,
  whatSurvives,
  whoOwnsParking,
  retention,
  whoMayReplay,
  order,
  sideEffects,
  personalData,
] as const;

/**
 * What a reviewer asks of a retry topology and of a dead-letter queue, answered for one flow from
 * its definition and the topology that follows from it. Nothing is asked of a broker or of AWS.
 */
export function review(flow: Flow): Review {
  const reviewed = { flow, topology: buildTopology([flow]) };
  return {
    flow: flow.name,
    owner: flow.owner,
    topics: TOPICS.map((topic) => topic(reviewed)),
  };
}
