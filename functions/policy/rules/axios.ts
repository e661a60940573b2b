/** axios. Its status, if it has one, is left to the HTTP rules. */
import type { KeyedRule } from './lookup.ts';
import { all, type Condition, code, message, named, rule } from './match.ts';

const withoutStatus: Condition = (error) => error.status === undefined || error.status < 400;

/** Before the network rules: what axios refuses itself. */
export const AXIOS_MISUSE_RULES: readonly KeyedRule[] = [
  rule(
    'axios.bad-option',
    'bug',
    code('ERR_BAD_OPTION', 'ERR_BAD_OPTION_VALUE', 'ERR_NOT_SUPPORT', 'ERR_DEPRECATED'),
  ),
  rule(
    'axios.answer-too-large',
    'invalid',
    all(code('ERR_BAD_RESPONSE'), message(/maxContentLength size of/)),
    all(code('ERR_BAD_REQUEST'), message(/maxBodyLength/)),
    code('ERR_FR_MAX_BODY_LENGTH_EXCEEDED', 'ERR_FORM_DATA_DEPTH_EXCEEDED'),
  ),
];

export const AXIOS_RULES: readonly KeyedRule[] = [
  rule('axios.network', 'transient', code('ERR_NETWORK', 'ERR_FR_REDIRECTION_FAILURE')),
  rule('axios.canceled', 'transient', code('ERR_CANCELED'), named('CanceledError', 'CancelError')),
  rule('axios.unreadable-answer', 'transient', all(code('ERR_BAD_RESPONSE'), withoutStatus)),
  rule('axios.refused-request', 'invalid', all(code('ERR_BAD_REQUEST'), withoutStatus)),
];
