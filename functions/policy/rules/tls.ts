/** Certificates. A peer that can't prove who it is, is a matter of security, not of the network. */
import type { KeyedRule } from './lookup.ts';
import { code, codeLike, message, rule } from './match.ts';

export const TLS_RULES: readonly KeyedRule[] = [
  rule(
    'tls.certificate',
    'security',
    // The X509 verification results of OpenSSL, as Node names them.
    code(
      'CERT_HAS_EXPIRED',
      'CERT_NOT_YET_VALID',
      'CERT_REVOKED',
      'CERT_REJECTED',
      'CERT_UNTRUSTED',
      'CERT_SIGNATURE_FAILURE',
      'CERT_CHAIN_TOO_LONG',
      'CRL_HAS_EXPIRED',
      'CRL_NOT_YET_VALID',
      'CRL_SIGNATURE_FAILURE',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'ERROR_IN_CERT_NOT_AFTER_FIELD',
      'ERROR_IN_CERT_NOT_BEFORE_FIELD',
      'HOSTNAME_MISMATCH',
      'INVALID_CA',
      'INVALID_PURPOSE',
      'PATH_LENGTH_EXCEEDED',
      'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
      'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
      'UNABLE_TO_GET_CRL',
      'UNABLE_TO_GET_ISSUER_CERT',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'ERR_TLS_CERT_ALTNAME_FORMAT',
      'ERR_TLS_CERT_SIGNATURE_ALGORITHM_UNSUPPORTED',
    ),
    message(
      /\b(certificate has expired|self[- ]signed certificate|unable to verify the first certificate|does not match certificate's altnames)/i,
    ),
  ),
  // Alerts of the peer about our certificate, and keys too weak for OpenSSL.
  rule(
    'tls.alert',
    'security',
    codeLike(/^ERR_SSL_\w*(CERT|UNKNOWN_CA|ACCESS_DENIED|KEY_TOO_SMALL|MD_TOO_WEAK)/),
  ),
];
