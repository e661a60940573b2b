/** Every table, by the library or kind it is about. */
import { CONTRACT, PROGRAMMING } from './code.ts';
import { MONGO, MYSQL, OTHER_SQL, POSTGRES, PRISMA, REDIS } from './databases.ts';
import { HTTP, SDK_HINTS, STRIPE } from './http.ts';
import { ABORT, AXIOS, FETCH, NODE_NETWORK, TLS } from './network.ts';
import type { Row } from './row.ts';
import { AMQP, AWS, GRPC } from './services.ts';
import { VALIDATION } from './validation.ts';

export const TABLES: Readonly<Record<string, readonly Row[]>> = {
  'contract with the sender': CONTRACT,
  'validation libraries': VALIDATION,
  certificates: TLS,
  'MySQL and MariaDB': MYSQL,
  'SQL Server, SQLite, Knex, Sequelize': OTHER_SQL,
  PostgreSQL: POSTGRES,
  MongoDB: MONGO,
  Prisma: PRISMA,
  Redis: REDIS,
  gRPC: GRPC,
  'Stripe and its like': STRIPE,
  AWS,
  'AMQP clients': AMQP,
  'cancelled calls': ABORT,
  'Node’s network': NODE_NETWORK,
  'fetch, node-fetch, got, ky': FETCH,
  axios: AXIOS,
  'HTTP statuses': HTTP,
  'mistakes in code': PROGRAMMING,
  'SDKs and hints': SDK_HINTS,
};
