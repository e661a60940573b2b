/** The classifier's default rules, in the order they are tried. */
import { ABORT_RULES } from './abort.ts';
import { AMQP_RULES } from './amqp.ts';
import { AWS_RULES } from './aws.ts';
import { AXIOS_MISUSE_RULES, AXIOS_RULES } from './axios.ts';
import { CONTRACT_RULES } from './contract.ts';
import { FETCH_MISUSE_RULES, FETCH_RULES } from './fetch.ts';
import { GRPC_RULES } from './grpc.ts';
import { HINT_RULES } from './hints.ts';
import { HTTP_LIMIT_RULES, HTTP_RULES } from './http.ts';
import { type KeyedRule, ruleLookup } from './lookup.ts';
import { MONGO_RULES } from './mongo.ts';
import { MYSQL_RULES } from './mysql.ts';
import { NODE_NETWORK_RULES } from './node-network.ts';
import { POSTGRES_RULES } from './postgres.ts';
import { PRISMA_RULES } from './prisma.ts';
import { PROGRAMMING_RULES } from './programming.ts';
import { REDIS_RULES } from './redis.ts';
import { OTHER_SQL_RULES } from './sql-others.ts';
import { STRIPE_RULES } from './stripe.ts';
import { TLS_RULES } from './tls.ts';
import { VALIDATION_RULES } from './validation.ts';

/**
 * Every rule is tried on the whole chain before the next one, so this order is the precedence
 * when an error holds several kinds of failure:
 *
 * 1. the message itself: contract, then validation. A list of complaints about fields is proof,
 *    whatever it was wrapped into (an ECONNRESET with a ZodError as its cause is `invalid`);
 * 2. certificates, before the network errors that wrap them;
 * 3. what a service said in its own words: databases, Redis, gRPC, Stripe, then 429 and 503 with
 *    Retry-After whoever sent them, AWS, AMQP;
 * 4. requests that could never be sent, then cancelled calls and the network. A network error below
 *    somebody's HTTP status is the cause of it, so it goes before the status;
 * 5. HTTP statuses;
 * 6. mistakes in code, since a TypeError may wrap any of the above (fetch does so);
 * 7. hints: names, flags and messages.
 */
export const DEFAULT_RULES: readonly KeyedRule[] = Object.freeze([
  ...CONTRACT_RULES,
  ...VALIDATION_RULES,
  ...TLS_RULES,
  ...MYSQL_RULES,
  ...OTHER_SQL_RULES,
  ...POSTGRES_RULES,
  ...MONGO_RULES,
  ...PRISMA_RULES,
  ...REDIS_RULES,
  ...GRPC_RULES,
  ...STRIPE_RULES,
  ...HTTP_LIMIT_RULES,
  ...AWS_RULES,
  ...AMQP_RULES,
  ...FETCH_MISUSE_RULES,
  ...AXIOS_MISUSE_RULES,
  ...ABORT_RULES,
  ...NODE_NETWORK_RULES,
  ...FETCH_RULES,
  ...AXIOS_RULES,
  ...HTTP_RULES,
  ...PROGRAMMING_RULES,
  ...HINT_RULES,
]);

/** The default rules that could hold for an error, in their order. */
export const defaultRulesFor = ruleLookup(DEFAULT_RULES);
