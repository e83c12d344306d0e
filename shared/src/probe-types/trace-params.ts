import { type Static, Type } from 'typebox';
import { parseHost } from '../target-policy/host.js';
import type { TargetPolicy } from '../target-policy/policy.js';
import { checkTracerouteUdpPort } from '../target-policy/ports.js';
import { ipVersionParam, portParam, timeoutParam } from './fields.js';

/** Parameters of every type that follows a path. */
export const traceParams = {
  max_hops: Type.Integer({ minimum: 1, maximum: 64, default: 30, description: 'Greatest number of hops.' }),
  protocol: Type.Enum(['icmp', 'udp', 'tcp'], {
    type: 'string',
    default: 'icmp',
    description: 'Protocol of the packets.',
  }),
  port: Type.Optional(portParam),
  timeout_ms: timeoutParam(100, 10000, 2000, 'Greatest timeout of each reply, in milliseconds.'),
  flows: Type.Integer({
    minimum: 1,
    maximum: 8,
    default: 1,
    description:
      'Flow identifiers to try. One flow keeps to one path; several show the paths of routers that balance by flow (ECMP).',
  }),
  reverse_dns: Type.Boolean({ default: true, description: 'Look up the names of the hops.' }),
  ip_version: ipVersionParam,
};

const TraceParams = Type.Object(traceParams);

/** A spec as far as every such type has it. */
export interface TraceSpec {
  readonly target: string;
  readonly params: Static<typeof TraceParams>;
}

/** Judges the target, and the port where it is one of UDP. @throws TargetError */
export function checkTraceTarget({ target, params }: TraceSpec, policy: TargetPolicy): void {
  policy.checkHost(parseHost(target));
  if (params.protocol === 'udp' && params.port !== undefined) checkTracerouteUdpPort(params.port);
}
