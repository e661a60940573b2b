import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Call, DownstreamLedger } from './downstream-ledger.ts';
import type { FiredFault, Place, PlannedKill, Question, Way } from './faults.ts';

/** Refuses a message's first runs: `attempts` of them, with this HTTP status. */
export interface Refusal {
  readonly status: number;
  readonly attempts: number;
}

export interface ControlPlan {
  readonly kills: readonly PlannedKill[];
  /** Messages that end the function in every run of their handler. */
  readonly poison: ReadonlyMap<string, Way>;
  readonly refusals: ReadonlyMap<string, Refusal>;
}

export const NO_PLAN: ControlPlan = { kills: [], poison: new Map(), refusals: new Map() };

/**
 * The harness's side of a function under test: tells it where to die, is the downstream of its handler,
 * and writes down what really happened. One per flow, an HTTP server on loopback.
 */
export class Control {
  readonly ledger = new DownstreamLedger();
  readonly fired: FiredFault[] = [];
  /** Called when a handler reaches the downstream, before it is answered. */
  onCall: (call: Call) => void = () => {};
  readonly #server: Server;
  readonly #waiting: Set<PlannedKill>;
  readonly #plan: ControlPlan;
  /** The process that began the latest invocation of each place. */
  readonly #current = new Map<Place, number>();

  private constructor(plan: ControlPlan) {
    this.#plan = plan;
    this.#waiting = new Set(plan.kills);
    this.#server = createServer(async (request, response) => {
      const answer = this.#answer(request.url ?? '', await readJson(request));
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer.body));
    });
    this.#server.keepAliveTimeout = 120_000;
  }

  static async start(plan: ControlPlan): Promise<Control> {
    const control = new Control(plan);
    await new Promise<void>((resolve) => control.#server.listen(0, '127.0.0.1', resolve));
    return control;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Kills that were planned and whose point was never reached. */
  get unfired(): readonly PlannedKill[] {
    return [...this.#waiting];
  }

  /** The process of the running invocation is gone, whoever ended it. */
  died(place: Place): void {
    const pid = this.#current.get(place);
    if (pid !== undefined) this.ledger.died(pid);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(path: string, body: unknown): { status: number; body: unknown } {
    switch (path) {
      case '/begin': {
        const { place, pid } = body as { place: Place; pid: number };
        this.#current.set(place, pid);
        return { status: 200, body: {} };
      }
      case '/ask':
        return { status: 200, body: { way: this.#decide(body as Question) } };
      case '/completed': {
        const { pid, id } = body as { pid: number; id: string };
        this.ledger.completed(pid, id);
        return { status: 200, body: {} };
      }
      case '/effect': {
        const call = body as Call;
        this.onCall(call);
        const refusal = this.#plan.refusals.get(call.id);
        const accepted = refusal === undefined || call.attempt > refusal.attempts;
        this.ledger.call(call, accepted);
        return { status: accepted ? 201 : refusal.status, body: {} };
      }
      default:
        return { status: 404, body: {} };
    }
  }

  #decide({ point, place, pid, ids }: Question): Way | undefined {
    const [id = ''] = ids;
    const poison = point === 'in-handler' ? this.#plan.poison.get(id) : undefined;
    if (poison !== undefined) {
      this.fired.push({ id, point, place, way: poison, pid, poison: true });
      return poison;
    }
    for (const kill of this.#waiting) {
      if (kill.point !== point || kill.place !== place || !ids.includes(kill.id)) continue;
      this.#waiting.delete(kill);
      this.fired.push({ ...kill, way: 'SIGKILL', pid, poison: false });
      return 'SIGKILL';
    }
    return undefined;
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}
