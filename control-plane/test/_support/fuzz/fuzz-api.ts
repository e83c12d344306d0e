import fc from 'fast-check';
import type { Test } from 'tap';
import { OpenApiSchemas } from '../openapi-schemas.js';
import { enrollPeer, PeerAgent } from '../peer-agent.js';
import { type Stack, startStack } from '../stack.js';
import { exchange, type FuzzAnswer, judgeAnswer, send } from './answer.js';
import { type Caller, type CallerKind, Callers } from './callers.js';
import { type ApiOperation, type Part, readOperations } from './operations.js';
import { type Plan, planArbitrary } from './plan.js';
import { idsIn, RealValues } from './real-values.js';
import { makeRequest } from './request.js';

/** Asks a running control plane for whatever its own OpenAPI document makes one think of. */
export class FuzzedApi {
  readonly operations: readonly ApiOperation[];
  readonly schemas: OpenApiSchemas;
  /** Ids of operations that have answered with 2xx. */
  readonly succeeded = new Set<string>();
  readonly #everybody: Callers;
  readonly #real = new RealValues();
  #addresses = 0;

  private constructor(
    readonly stack: Stack,
    readonly document: Part,
  ) {
    this.operations = readOperations(document);
    this.schemas = new OpenApiSchemas(document);
    this.#everybody = this.#newCallers();
  }

  /** With three agents that answer everything at once; stopped when `t` ends. */
  static async start(t: Test): Promise<FuzzedApi> {
    const stack = await startStack(t, { VANTAGE_TRUSTED_PROXIES: '127.0.0.1/32' });
    for (const country of ['DE', 'FR', 'JP']) {
      const identity = await enrollPeer(stack.api, { declared: { country } });
      await PeerAgent.connect(t, stack.api.url, identity, { isBeating: true });
    }
    const { body } = await stack.api.call('GET', '/v1/openapi.json', { as: null });
    return new FuzzedApi(stack, body);
  }

  /** What so many requests of an operation showed to be wrong, with the shortest that does; null: nothing. */
  problemOf(operation: ApiOperation, { seed, count }: { seed: number; count: number }): Promise<string | null> {
    const callers = isHarmless(operation) ? this.#everybody : this.#newCallers(operation);
    const property = fc.asyncProperty(planArbitrary(this.document, operation), (plan) =>
      this.#tryOut(operation, plan, callers),
    );
    const run = fc.assert(property, { seed, numRuns: count, includeErrorInReport: true });
    return run.then(
      () => null,
      ({ message }) => message,
    );
  }

  /** The answer to a request without anything in it. */
  async ask(operation: ApiOperation, kind: CallerKind): Promise<FuzzAnswer> {
    const plan: Plan = { caller: kind, params: {}, query: {}, body: null, language: 'en', idempotencyKey: null };
    return exchange(this.stack.api.url, await this.#make(operation, plan, this.#everybody));
  }

  async #tryOut(operation: ApiOperation, plan: Plan, callers: Callers): Promise<void> {
    const request = await this.#make(operation, plan, callers);
    const answer = await exchange(this.stack.api.url, request);
    if (answer.status < 300) {
      this.succeeded.add(operation.operationId);
      this.#real.collect(operation.path, answer.body.data ?? answer.body);
      if (!isHarmless(operation)) callers.forget(plan.caller);
    }
    const complaints = judgeAnswer(request, answer, this.schemas);
    if (complaints.length === 0) return;
    const sent = `${operation.method} ${request.target} by ${plan.caller}: ${request.body?.slice(0, 2_000) ?? ''}`;
    throw new Error(`${complaints.join('; ')}\n  ${sent}\n  ${JSON.stringify(answer.body)?.slice(0, 2_000)}`);
  }

  async #make(operation: ApiOperation, plan: Plan, callers: Callers) {
    // an address of its own each, or limits would answer most of them
    this.#addresses += 1;
    const address = `198.18.${this.#addresses >> 8}.${this.#addresses & 255}`;
    const caller = await callers.find(plan.caller);
    return makeRequest(plan, { operation, caller, real: this.#real, schemas: this.schemas, address });
  }

  /** Callers who have one of what the operation is about, where another operation makes it. */
  #newCallers(operation?: ApiOperation): Callers {
    const [parent] = operation?.path.split('/{') ?? [];
    const isMaker = ({ method, path, body }: ApiOperation) => method === 'POST' && path === parent && body !== null;
    const maker = operation?.path === parent ? undefined : this.operations.find(isMaker);
    const settle = maker === undefined ? undefined : (caller: Caller) => this.#makeOne(maker, caller);
    return new Callers(this.stack.controlPlane.services, this.stack.database.db, settle);
  }

  async #makeOne({ path, body }: ApiOperation, { authorization }: Caller): Promise<string[]> {
    const { text } = await send(this.stack.api.url, {
      method: 'POST',
      target: path,
      headers: { 'content-type': 'application/json', ...(authorization === null ? {} : { authorization }) },
      body: JSON.stringify(body?.example),
    });
    return idsIn(text);
  }
}

/** Whether a success leaves the credentials of its caller as they were. */
function isHarmless({ method, tag }: ApiOperation): boolean {
  return method === 'GET' || ['Probes', 'Nodes', 'Enrollment'].includes(tag);
}
