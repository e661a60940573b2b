/** The message breaks the contract with its sender: it can't even be read. */
import type { KeyedRule } from './lookup.ts';
import { code, named, rule } from './match.ts';

/** Codes the consumer gives what it throws when it can't decode a message. */
export const CONTRACT_CODES = {
  undecodable: 'LAYOVER_UNDECODABLE',
  schemaVersion: 'LAYOVER_SCHEMA_VERSION',
  contentEncoding: 'LAYOVER_CONTENT_ENCODING',
  contentType: 'LAYOVER_CONTENT_TYPE',
} as const;

export const CONTRACT_RULES: readonly KeyedRule[] = [
  rule('contract.undecodable', 'contract', code(CONTRACT_CODES.undecodable)),
  rule('contract.schema-version', 'contract', code(CONTRACT_CODES.schemaVersion)),
  rule('contract.content-encoding', 'contract', code(CONTRACT_CODES.contentEncoding)),
  rule('contract.content-type', 'contract', code(CONTRACT_CODES.contentType)),
  // Avro and Protobuf readers, which a handler may use on the body it was given.
  rule(
    'contract.schema-registry',
    'contract',
    named('ConfluentSchemaRegistryError', 'ConfluentSchemaRegistryInvalidSchemaError'),
  ),
];
