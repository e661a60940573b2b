/** Prisma, by its own codes and by the kinds its driver adapters tell. */
import type { KeyedRule } from './lookup.ts';
import { all, type Condition, code, field, message, named, rule } from './match.ts';

const kind = (...kinds: readonly string[]): Condition => field('kind', ...kinds);

export const PRISMA_RULES: readonly KeyedRule[] = [
  rule('prisma.unique-violation', 'invalid', code('P2002'), kind('UniqueConstraintViolation')),
  rule('prisma.write-conflict', 'transient', code('P2034'), kind('TransactionWriteConflict')),
  rule(
    'prisma.pool-timeout',
    'backpressure',
    code('P2024', 'P2037', 'P5011'),
    kind('TooManyConnections'),
  ),
  rule('prisma.transaction', 'transient', code('P2028')),
  rule(
    'prisma.access-denied',
    'security',
    code('P1000', 'P1010', 'P1011', 'P6002'),
    kind('AuthenticationFailed', 'DatabaseAccessDenied', 'TlsConnectionError'),
  ),
  rule(
    'prisma.connection',
    'transient',
    code('P1001', 'P1002', 'P1008', 'P1017', 'P6004', 'P6008', 'P6009'),
    kind('SocketTimeout', 'ConnectionClosed', 'DatabaseNotReachable'),
    named('PrismaClientRustPanicError'),
    all(
      named('PrismaClientInitializationError'),
      message(/can't reach database server|timed out/i),
    ),
  ),
  rule(
    'prisma.rejected-data',
    'invalid',
    code(
      'P2000',
      'P2001',
      'P2003',
      'P2004',
      'P2005',
      'P2006',
      'P2007',
      'P2011',
      'P2012',
      'P2013',
      'P2014',
      'P2015',
      'P2018',
      'P2019',
      'P2020',
      'P2025',
      'P2033',
    ),
    kind(
      'ForeignKeyConstraintViolation',
      'NullConstraintViolation',
      'LengthMismatch',
      'ValueOutOfRange',
      'InvalidInputValue',
      'InconsistentColumnData',
    ),
    named('PrismaClientValidationError'),
  ),
  rule(
    'prisma.schema-mismatch',
    'bug',
    code(
      'P1003',
      'P1012',
      'P1014',
      'P2008',
      'P2009',
      'P2016',
      'P2017',
      'P2021',
      'P2022',
      'P2026',
      'P2029',
    ),
    kind('TableDoesNotExist', 'ColumnNotFound', 'DatabaseDoesNotExist'),
  ),
];
