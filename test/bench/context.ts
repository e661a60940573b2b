/** A Lambda context with plenty of time. */
export function aContext(remainingMs = 60_000) {
  const deadline = Date.now() + remainingMs;
  return {
    awsRequestId: 'bench',
    functionName: 'bench',
    functionVersion: '$LATEST',
    getRemainingTimeInMillis: () => deadline - Date.now(),
  } as never;
}
