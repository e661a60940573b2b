/**
 * The inside of a function process: imports the bundled handler, then runs one invocation after
 * another for its parent. Started by function-process.ts, never imported.
 */
import { pathToFileURL } from 'node:url';
import type { FunctionMessage, ParentMessage } from './function-protocol.ts';
import { endLine, errorText } from './function-protocol.ts';

type Handler = (event: unknown, context: unknown) => unknown;

const [bundleFile = '', functionName = 'local', memoryMiB = '256'] = process.argv.slice(2);

function send(message: FunctionMessage): void {
  process.send?.(message);
}

/** Says, behind everything the invocation printed, that its log ends; the parent waits for the line. */
function closeLog(requestId: string): void {
  process.stdout.write(`${endLine(requestId)}\n`);
}

function contextOf(message: ParentMessage): object {
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${functionName}`,
    memoryLimitInMB: memoryMiB,
    awsRequestId: message.requestId,
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: `local/[$LATEST]${process.pid}`,
    getRemainingTimeInMillis: () => Math.max(0, message.deadlineAtMs - Date.now()),
    done: () => {},
    fail: () => {},
    succeed: () => {},
  };
}

async function invoke(handler: Handler, message: ParentMessage): Promise<void> {
  const { requestId } = message;
  try {
    const result = await handler(JSON.parse(message.event), contextOf(message));
    closeLog(requestId);
    send({ kind: 'done', requestId, result: result ?? null });
  } catch (error) {
    closeLog(requestId);
    send({ kind: 'failed', requestId, error: errorText(error) });
  }
}

// The parent is gone: nobody would ever invoke again.
process.on('disconnect', () => process.exit(0));
// Ctrl-C goes to the whole group of processes; the parent decides when this one ends.
process.on('SIGINT', () => {});

try {
  const module: { readonly handler?: unknown } = await import(pathToFileURL(bundleFile).href);
  const { handler } = module;
  if (typeof handler !== 'function') {
    throw new TypeError(`${bundleFile} exports no function named "handler"`);
  }
  process.on('message', (message: ParentMessage) => {
    void invoke(handler as Handler, message);
  });
  send({ kind: 'ready' });
} catch (error) {
  send({ kind: 'init-failed', error: errorText(error) });
}
