import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import type { Test } from 'tap';
import { OpenApiSchemas } from '../openapi-schemas.js';
import { enrollPeer, PeerAgent } from '../peer-agent.js';
import { writeLists } from '../reputation-world.js';
import { type Stack, startStack } from '../stack.js';
import { exchange, type FuzzAnswer, judgeAnswer, send } from './answer.js';
import { type Caller, type CallerKind, Callers } from './callers.js';
import { type ApiOperation, type Part, readOperations } from './operations.js';
import { type Plan, planArbitrary } from './plan.js';
import { idsIn, RealValues } from './real-values.js';
import { unclearParts } from './refusal.js';
import { makeRequest } from './request.js';

/** Sends a running control plane every kind of request that its own OpenAPI document suggests. */
export class FuzzedApi {
  readonly operations: readonly ApiOperation[];
  readonly schemas: OpenApiSchemas;
  /** Ids of operations that have answered with 2xx. */
  readonly succeeded = new Set<string>();
  /** Refusals that leave open what is allowed, each with the operation that made it first. */
  readonly unclear = new Map<string, string>();
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

  /** Starts it with three agents that answer everything at once; stopped when `t` ends. */
  static async start(t: Test): Promise<FuzzedApi> {
    const file = fileURLToPath(new URL('../../../../test/testdata/geo/country.mmdb', import.meta.url));
    const stack = await startStack(t, {
      VANTAGE_TRUSTED_PROXIES: '127.0.0.1/32',
      VANTAGE_REPUTATION_LISTS: writeLists(t, [{ name: 'ranges', signal: 'hosting', format: 'mmdb', file }]),
    });
    for (const country of ['DE', 'FR', 'JP']) {
      const identity = await enrollPeer(stack.api, { declared: { country } });
      await PeerAgent.connect(t, stack.api.url, identity);
    }
    const { body } = await stack.api.call('GET', '/v1/openapi.json', { as: null });
    return new FuzzedApi(stack, body);
  }

  /**
   * Makes `count` requests of an operation. @returns the complaints, with the shortest request that causes them, or
   * null
   */
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

  /** Response to an empty request. */
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
    for (const text of unclearParts(answer)) if (!this.unclear.has(text)) this.unclear.set(text, operation.operationId);
    const complaints = judgeAnswer(request, answer, this.schemas);
    if (complaints.length === 0) return;
    const sent = `${operation.method} ${request.target} by ${plan.caller}: ${request.body?.slice(0, 2_000) ?? ''}`;
    throw new Error(`${complaints.join('; ')}\n  ${sent}\n  ${JSON.stringify(answer.body)?.slice(0, 2_000)}`);
  }

  async #make(operation: ApiOperation, plan: Plan, callers: Callers) {
    // one address each, or limits would refuse most of them
    this.#addresses += 1;
    const address = `198.18.${this.#addresses >> 8}.${this.#addresses & 255}`;
    const caller = await callers.find(plan.caller);
    return makeRequest(plan, { operation, caller, real: this.#real, schemas: this.schemas, address });
  }

  /** Callers that own one instance of the operation's resource, if another operation can create it. */
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

/** True if a success leaves the caller's credentials valid. */
function isHarmless({ method, tag }: ApiOperation): boolean {
  return method === 'GET' || ['Probes', 'Nodes', 'Enrollment'].includes(tag);
}
