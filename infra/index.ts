/** What an existing CDK app uses of this product. */
export { consumer } from '../functions/consumer/consumer.ts';
export { defineFlow } from '../functions/policy/define-flow.ts';
export { addFlows } from './add-flows.ts';
export { Alarms } from './constructs/alarms.ts';
export type { Broker } from './constructs/broker.ts';
export { ClaimsTable } from './constructs/claims-table.ts';
export { FlowConsumer } from './constructs/flow-consumer.ts';
export { Layover } from './constructs/layover.ts';
export { Network } from './constructs/network.ts';
export { Probe } from './constructs/probe.ts';
export { Replay } from './constructs/replay.ts';
export { ReplayTables } from './constructs/replay-tables.ts';
export { TopologyResource } from './constructs/topology-resource.ts';
export { EnvironmentError } from './environment-error.ts';
export { defineEnvironment } from './environment-rules.ts';
export type * from './environment-types.ts';
export { LayoverStack } from './layover-stack.ts';
