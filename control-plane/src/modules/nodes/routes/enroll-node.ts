import { actorOf } from '../../../audit-log/actor.js';
import { defineRoute } from '../../../http/route.js';
import { EnrollReplySchema, EnrollRequestSchema } from '../schema.js';

/** POST /v1/nodes/enroll: the token is the credential. */
export const enrollNode = defineRoute({
  operationId: 'enrollNode',
  method: 'POST',
  path: '/v1/nodes/enroll',
  summary: 'Enroll an agent',
  description:
    'Called by vantage-agent. Used, expired, revoked and unknown tokens get the same response, whatever the rest of the request, once the body is well-formed. Exception: a repeated request with the key that used the token gets the first response again, unless the node was deleted. A network (IPv4 /24, IPv6 /48) may try 30 wrong tokens a minute. An owner may have as many nodes as the plan allows, and enroll the same number an hour, at least 10; a plan with unlimited nodes has no hourly limit.',
  tag: 'Enrollment',
  auth: { kind: 'public' },
  limit: { name: 'enrollment', limit: 600, per: 'minute', from: 'network' },
  body: EnrollRequestSchema,
  bodyExample: {
    token: 'ent_…',
    public_key: '3KZx0n5yq5rC1i8u0cUQkD9o5gqgB2s6YvZ4mL7wX8E=',
    proof: 'signature, base64',
    hostname: 'probe-1',
    version: '0.1.0',
    os: 'linux',
    arch: 'x64',
    capabilities: ['icmp', 'icmp_echo'],
  },
  replies: { 201: EnrollReplySchema },
  replyExample: {
    node_id: 'n_1CGRtJ1RH3rs4vbBJ5pyj9',
    control_urls: ['https://vantage.example'],
    server_public_key: 'GbVUQCk0k1xZ8mUsU2hUW0h0v3gQp8Yd2cF5t5yTn3E=',
    audience: 'https://vantage.example',
    config: { heartbeat_ms: 15_000 },
  },
  errors: ['NODE_ENROLLMENT_TOKEN_INVALID', 'VALIDATION_FAILED', 'CONFLICT', 'FEATURE_LOCKED', 'RATE_LIMIT_EXCEEDED'],
  async handle(request, { nodes }) {
    return { status: 201, data: await nodes.enrollment.enroll(request.body, actorOf(request)) };
  },
});
