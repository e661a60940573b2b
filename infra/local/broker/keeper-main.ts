import { reasonOf } from './errors.ts';
import type { KeeperLine } from './keeper-protocol.ts';

/** What the work of a keeper is given. */
export interface KeeperTools {
  readonly report: (line: KeeperLine) => void;
  /** Registers what undoes a step just taken; run in reverse order when the keeper ends, whatever ends it. */
  readonly onEnd: (undo: () => Promise<void> | void) => void;
}

const TIDY_UP_TIMEOUT_MS = 15_000;

/**
 * The body of a keeper process: starts something, holds it while the parent lives, takes it down after.
 *
 * A process of its own because only that survives every end of the parent: Ctrl-C pressed twice,
 * an uncaught error, even a SIGKILL. It runs in a session of its own, so the terminal's signals don't reach it.
 */
export function runKeeper(work: (tools: KeeperTools) => Promise<void>): void {
  const undos: Array<() => Promise<void> | void> = [];
  let ending = false;

  const end = async (exitCode: number): Promise<void> => {
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(1), TIDY_UP_TIMEOUT_MS);
    for (let undo = undos.pop(); undo !== undefined; undo = undos.pop()) {
      try {
        await undo();
      } catch {
        // One step that can't be undone must not keep the others from it.
      }
    }
    process.exit(exitCode);
  };
  const report = (line: KeeperLine): void => {
    if (!ending) process.stdout.write(`${JSON.stringify(line)}\n`);
  };
  const fail = (error: unknown): void => {
    report({ type: 'failed', reason: reasonOf(error) });
    void end(1);
  };

  // A parent that died leaves broken pipes behind; writing to them is no reason to stop tidying up.
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
  process.stdin.on('end', () => void end(0)).on('error', () => void end(0));
  process.stdin.resume();
  process.on('SIGINT', () => {});
  process.on('SIGHUP', () => {});
  process.on('SIGTERM', () => void end(0));
  process.on('uncaughtException', fail);

  const onEnd = (undo: () => Promise<void> | void): void => {
    // Started while already ending: nobody will come back for it.
    if (ending) void (async () => undo())().catch(() => {});
    else undos.push(undo);
  };
  work({ report, onEnd }).catch(fail);
}
