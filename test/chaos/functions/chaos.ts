/**
 * The function under test: the product's own `consumer` and `openSandbox`, with the sandbox's ports
 * decorated so that the process can die between any two steps. The product knows nothing of this.
 */
import type { Context } from 'aws-lambda';
import type { Claims } from '../../../functions/consumer/claims.ts';
import { consumer } from '../../../functions/consumer/consumer.ts';
import type { Handle } from '../../../functions/consumer/handler-types.ts';
import type { Sandbox } from '../../../functions/consumer/invocation.ts';
import { openSandbox } from '../../../functions/consumer/sandbox.ts';
import type { RabbitMqEvent } from '../../../functions/message/event.ts';
import { defineFlow } from '../../../functions/policy/define-flow.ts';
import type { Flow } from '../../../functions/policy/types.ts';
import { dieIfTold, post } from './ask.ts';
import type { PlainDefinition } from './flow-definition.ts';

const flow = defineFlow(JSON.parse(process.env.CHAOS_FLOW ?? '{}') as PlainDefinition);

/** What the downstream refused, with the field the classifier reads. */
class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly status: number;
  constructor(status: number) {
    super(`the downstream answered ${status}`);
    this.status = status;
  }
}

const handle: Handle<unknown> = async (message, { attempt, idempotencyKey: key }) => {
  const { id } = message.payload as { id: string };
  await dieIfTold('in-handler', [id]);
  const { ok, status } = await post('/effect', { id, key, attempt });
  if (!ok) throw new RefusedError(status);
  // Without a table nothing follows that could be decorated.
  if (!process.env.LAYOVER_TABLE) await dieIfTold('after-effect', [id]);
};

function open(opened: Flow<unknown>, run: Handle<unknown>): Sandbox<unknown> {
  const sandbox = openSandbox(opened, run);
  return {
    ...sandbox,
    claims: mortalClaims(sandbox.claims),
    session: {
      wake: (deadlineAtMs) => sandbox.session.wake(deadlineAtMs),
      close: () => sandbox.session.close(),
      async publish(copy, deadlineAtMs) {
        await sandbox.session.publish(copy, deadlineAtMs);
        await dieIfTold('after-publish', [copy.properties.messageId ?? '']);
      },
    },
  };
}

function mortalClaims(claims: Claims): Claims {
  return {
    look: (id, nowMs) => claims.look(id, nowMs),
    async take(request) {
      const ids = [messageIdOf(request.id)];
      await dieIfTold('before-claim', ids);
      const answer = await claims.take(request);
      if (answer.kind === 'claimed') await dieIfTold('before-handler', ids);
      return answer;
    },
    async complete(claim, nowMs) {
      const id = messageIdOf(claim.id);
      await dieIfTold('after-effect', [id]);
      const ours = await claims.complete(claim, nowMs);
      await post('/completed', { id });
      await dieIfTold('after-completion', [id]);
      return ours;
    },
    async release(claim) {
      const ours = await claims.release(claim);
      await dieIfTold('after-release', [messageIdOf(claim.id)]);
      return ours;
    },
  };
}

/** A claim's id is `message#<flow>#<key>`, and the key of these flows is the message's id. */
function messageIdOf(claimId: string): string {
  return claimId.slice(claimId.lastIndexOf('#') + 1);
}

const lambda = consumer(flow, handle, open);

export async function handler(event: RabbitMqEvent, context: Context): Promise<void> {
  await post('/begin', {});
  await lambda(event, context);
  const records = Object.values(event.rmqMessagesByQueue).flat();
  const ids = records.map(({ basicProperties }) => basicProperties.messageId ?? '');
  await dieIfTold('before-return', ids);
}
