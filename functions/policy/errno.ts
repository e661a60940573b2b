/**
 * Names of the error numbers that concern a consumer, as Linux and libuv number them: Lambda runs
 * on Linux, and an error that came through JSON or a log may have kept only the number.
 */
const NAMES: Readonly<Record<number, string>> = {
  [-11]: 'EAGAIN',
  [-16]: 'EBUSY',
  [-23]: 'ENFILE',
  [-24]: 'EMFILE',
  [-32]: 'EPIPE',
  [-71]: 'EPROTO',
  [-99]: 'EADDRNOTAVAIL',
  [-100]: 'ENETDOWN',
  [-101]: 'ENETUNREACH',
  [-102]: 'ENETRESET',
  [-103]: 'ECONNABORTED',
  [-104]: 'ECONNRESET',
  [-107]: 'ENOTCONN',
  [-110]: 'ETIMEDOUT',
  [-111]: 'ECONNREFUSED',
  [-112]: 'EHOSTDOWN',
  [-113]: 'EHOSTUNREACH',
  [-3001]: 'EAI_AGAIN',
  [-3004]: 'EAI_FAIL',
  [-3007]: 'EAI_NODATA',
  [-3008]: 'ENOTFOUND',
};

/** The name of a negative `errno`; positive numbers belong to MySQL and others. */
export function errnoName(errno: number): string | undefined {
  return NAMES[errno];
}
