import type { Downstream } from './downstream/downstream.ts';
import type { FlowPlan } from './scenarios/types.ts';

export interface Downstreams {
  readonly byFlow: ReadonlyMap<string, Downstream>;
  /** Tells the handlers where their downstream is. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Starts what the handlers of the planned flows call. */
export async function startDownstreams(plans: ReadonlyMap<string, FlowPlan>): Promise<Downstreams> {
  const byFlow = new Map<string, Downstream>();
  const env: Record<string, string> = {};
  for (const [flow, plan] of plans) {
    const downstream = await plan.startDownstream();
    byFlow.set(flow, downstream);
    env[plan.urlVariable] = downstream.url;
  }
  return {
    byFlow,
    env,
    stop: async () => {
      await Promise.all([...byFlow.values()].map((downstream) => downstream.stop()));
    },
  };
}
