import { type ProbeType, probeTypes } from '@vantage/shared/probe-types/index.js';
import { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t from 'tap';
import { aNode } from '../../../test/_support/a-node.js';
import type { ApiError } from '../../http/errors.js';
import type { Viewer } from '../../http/viewer.js';
import type { Node, NodeSelection } from '../nodes/index.js';
import {
  checkTarget,
  chooseNodes,
  chooseSharedNodes,
  type ProbeBody,
  toProbeRequest,
  unfitNodes,
} from './probe-request.js';
import { probeRequestSchema } from './schema.js';

const anybody: Viewer = { ownerId: null, isAdmin: false, isTest: false };
const owner: Viewer = { ...anybody, ownerId: 'u_owner' };
const stranger: Viewer = { ...anybody, ownerId: 'u_stranger' };
const admin: Viewer = { ...anybody, ownerId: 'u_admin', isAdmin: true };

/** A request as it is after validation. */
function request(body: object, type: ProbeType = 'tcp') {
  const validation = compileSchema(probeRequestSchema(type))({ target: '192.0.2.1:80', ...body });
  if (!validation.ok) throw new Error(JSON.stringify(validation.details));
  return toProbeRequest(type, validation.value as ProbeBody);
}

function choose(nodes: readonly Node[], body: object, viewer: Viewer = anybody, type: ProbeType = 'tcp'): Node[] {
  return chooseNodes({
    request: request(body, type),
    nodes,
    findNode: (id) => nodes.find((node) => node.id === id) ?? null,
    viewer,
    loadOf: () => 0,
    random: Math.random,
  });
}

/** Status, code and details of what `run` throws. */
function refusalOf(
  run: () => unknown,
): { status: number; code: string; details: ApiError['details']; retry?: number; isNotConfigured?: true } | null {
  try {
    run();
    return null;
  } catch (error) {
    const { status, code, details, retryAfterSeconds: retry, isNotConfigured } = error as ApiError;
    const marks = isNotConfigured ? { isNotConfigured } : {};
    return { status, code, details, ...(retry === undefined ? {} : { retry }), ...marks };
  }
}

t.test('node_id, node_ids and nodes exclude one another, each field says what it excludes', async (t) => {
  const { id } = aNode();
  const conflict = (message: string) => [{ code: 'conflict', message }];
  t.match(
    refusalOf(() => request({ node_id: id, node_ids: [id] })),
    {
      status: 400,
      code: 'VALIDATION_FAILED',
      details: { node_id: conflict('excludes node_ids'), node_ids: conflict('excludes node_id') },
    },
  );
  t.match(
    refusalOf(() => request({ node_id: id, nodes: {} })),
    { status: 400, details: { nodes: conflict('excludes node_id') } },
  );
  t.match(
    refusalOf(() => request({ node_id: id, node_ids: [id], nodes: {} })),
    {
      details: { nodes: conflict('excludes node_id and node_ids') },
    },
  );
  t.equal(request({ node_id: id }).nodeIds?.length, 1);
  t.equal(request({}).nodeIds, null);
});

t.test('node_ids takes 1 to 50 ids, each once', async (t) => {
  const validate = compileSchema(probeRequestSchema('tcp'));
  const ids = Array.from({ length: 51 }, () => aNode().id);
  const check = (node_ids: unknown) => validate({ target: '192.0.2.1:80', node_ids }).ok;
  t.equal(check(ids.slice(0, 50)), true);
  t.equal(check(ids), false);
  t.equal(check([]), false);
  t.equal(check([ids[0], ids[0]]), false);
  t.equal(check(['n_short']), false);
});

t.test('named nodes are used as they are named, whatever they can do', async (t) => {
  const [a, b] = [aNode({ capabilities: [] }), aNode()];
  t.same(choose([a, b], { node_ids: [b.id, a.id] }), [b, a]);
  t.same(choose([a, b], { node_id: a.id }, anybody, 'ping'), [a]);
});

t.test('an unknown node, a banned one and a private one of another owner get the same 404', async (t) => {
  const banned = aNode({ isBanned: true });
  const secret = aNode({ isPublic: false });
  for (const id of [aNode().id, banned.id, secret.id]) {
    t.match(
      refusalOf(() => choose([banned, secret], { node_id: id }, stranger)),
      { status: 404, code: 'NODE_NOT_FOUND' },
    );
  }
  t.match(
    refusalOf(() => choose([banned], { node_id: banned.id }, admin)),
    { status: 404 },
    'admins use no banned nodes either',
  );
  t.match(
    refusalOf(() => choose([banned, aNode()], { node_ids: [banned.id] })),
    { status: 404 },
  );
  t.same(choose([secret], { node_id: secret.id }, owner), [secret]);
  t.same(choose([secret], { node_id: secret.id }, admin), [secret]);
});

t.test('a named node that is offline or draining refuses the whole request for now', async (t) => {
  const online = aNode();
  for (const away of [aNode({ sessionId: null }), aNode({ isDraining: true })]) {
    const refusal = refusalOf(() => choose([online, away], { node_ids: [online.id, away.id] }));
    t.match(refusal, { status: 503, code: 'NODE_OFFLINE' });
    t.ok((refusal?.retry ?? 0) > 0, 'Retry-After');
  }
});

t.test('a selection draws among nodes that are online and visible to the caller', async (t) => {
  const visible = aNode();
  const secret = aNode({ isPublic: false });
  const nodes = [visible, secret, aNode({ isBanned: true }), aNode({ sessionId: null }), aNode({ isDraining: true })];
  t.same(choose(nodes, {}), [visible]);
  t.same(choose(nodes, { nodes: { limit: 50 } }, stranger), [visible]);
  t.same(new Set(choose(nodes, {}, owner)), new Set([visible, secret]));
  t.same(new Set(choose(nodes, {}, admin)), new Set([visible, secret]));
});

t.test('owned draws among the caller’s own nodes', async (t) => {
  const mine = aNode({ ownerId: 'u_stranger' });
  t.same(choose([mine, aNode()], { nodes: { owned: true } }, stranger), [mine]);
  t.match(
    refusalOf(() => choose([mine], { nodes: { owned: true } }, anybody)),
    { status: 422 },
  );
});

t.test(
  'traceroute is drawn among nodes with raw sockets, ping among those with ICMP echo, the others among all',
  async (t) => {
    const plain = aNode({ capabilities: [] });
    const raw = aNode({ capabilities: ['icmp', 'icmp_echo'] });
    const unprivileged = aNode({ capabilities: ['icmp_echo'] });
    const drawn = (type: ProbeType, target: string, params: object = {}) =>
      new Set(choose([plain, raw, unprivileged], { target, params }, anybody, type));
    t.same(drawn('ping', '192.0.2.1'), new Set([raw, unprivileged]));
    t.same(drawn('traceroute', '192.0.2.1'), new Set([raw]));
    t.same(drawn('ping', '192.0.2.1', { protocol: 'tcp', port: 80 }), new Set([plain, raw, unprivileged]));
    t.same(drawn('tcp', '192.0.2.1:80'), new Set([plain, raw, unprivileged]));
    t.same(drawn('http', 'http://192.0.2.1/'), new Set([plain, raw, unprivileged]));
    t.same(drawn('dns', 'example.com'), new Set([plain, raw, unprivileged]));
  },
);

t.test(
  'nodes that match a selection and lack what the probe needs are named, as many as there are too few',
  async (t) => {
    const plain = aNode({ capabilities: [], country: 'DE' });
    const others = [
      aNode({ capabilities: [], country: 'FR' }),
      aNode({ capabilities: [], country: 'DE', sessionId: null }),
      aNode({ capabilities: [], country: 'DE', isPublic: false }),
      aNode({ capabilities: ['icmp_echo'], country: 'AT' }),
      aNode({ capabilities: ['icmp_echo'], country: 'AT' }),
    ];
    const unfit = (body: Partial<ProbeBody>, chosen: number) => {
      const asked = request({ target: '192.0.2.1', ...body }, 'ping');
      return unfitNodes({ request: asked, nodes: [plain, ...others], viewer: anybody }, chosen);
    };
    const inGermany = { countries: ['DE'] };
    t.same(unfit({ nodes: inGermany }, 2), [{ nodeId: plain.id, lacks: 'icmp_echo' }]);
    t.same(unfit({ nodes: inGermany }, 3), [], 'three nodes are as many as are drawn');
    t.equal(unfit({}, 1).length, 2);
    t.equal(unfit({}, 2).length, 1, 'one node is missing');
    t.same(unfit({ node_ids: [plain.id] }, 0), [], 'named nodes run whatever they lack');
  },
);
t.test('without a node online the refusal is not about the request, and reports how to enroll one', async (t) => {
  const stranger = aNode({ isPublic: false, ownerId: 'u_other' });
  for (const nodes of [[], [aNode({ sessionId: null })], [stranger]]) {
    const refusal = refusalOf(() => choose(nodes, { target: 'example.com' }, anybody, 'dns'));
    t.match(refusal, {
      status: 503,
      code: 'UNAVAILABLE',
      details: { nodes: [{ code: 'not_found', message: /^no node that you may use is online; enroll one: / }] },
    });
    // a node that is offline may return; without one, waiting does not help
    t.equal(refusal?.isNotConfigured ?? false, nodes[0] === undefined || nodes[0] === stranger);
  }
});

t.test('a selection that finds no node says why', async (t) => {
  const plain = aNode({ capabilities: [], country: 'DE' });
  const cases: readonly { name: string; nodes: Node[]; selection: NodeSelection; type: ProbeType; message: RegExp }[] =
    [
      {
        name: 'elsewhere',
        nodes: [plain],
        selection: { countries: ['FR'] },
        type: 'dns',
        message: /^no online node matches this selection$/,
      },
      {
        name: 'nobody’s',
        nodes: [plain],
        selection: { owned: true },
        type: 'dns',
        message: /^no online node matches this selection$/,
      },
      {
        name: 'unable',
        nodes: [plain],
        selection: { countries: ['DE'] },
        type: 'ping',
        message:
          /^no online node that matches has ICMP \(icmp_echo\); `vantage-agent doctor` on a node says what it lacks$/,
      },
    ];
  for (const { name, nodes, selection, type, message } of cases) {
    t.match(
      refusalOf(() => choose(nodes, { target: 'example.com', nodes: selection }, anybody, type)),
      { status: 422, code: 'VALIDATION_FAILED', details: { nodes: [{ code: 'not_found', message }] } },
      name,
    );
  }
});

t.test('what is no target is a 400 that names the field, what may not be touched a 422', async (t) => {
  const policy = new TargetPolicy({ allow: [], own: [], denied: ['evil.example'] });
  const refusal = (type: ProbeType, body: object) => refusalOf(() => checkTarget(request(body, type), policy));
  t.equal(refusal('tcp', { target: 'example.com:443' }), null);
  t.match(refusal('tcp', { target: 'example.com' }), {
    status: 400,
    code: 'VALIDATION_FAILED',
    details: { 'params.port': [{ code: 'required' }] },
  });
  t.match(refusal('tcp', { target: '10.0.0.1:80' }), {
    status: 422,
    code: 'PROBE_TARGET_INVALID',
    details: { target: [{ code: 'refused' }] },
  });
  t.match(refusal('dns', { target: 'www.evil.example' }), { status: 422, details: { target: [{ code: 'refused' }] } });
  t.match(refusal('dns', { target: 'example.com', params: { server: '127.0.0.1' } }), {
    status: 422,
    details: { 'params.server': [{ code: 'refused' }] },
  });
});

t.test('every type fills in the defaults of its parameters', async (t) => {
  for (const type of Object.keys(probeTypes) as ProbeType[]) {
    const { spec } = request({ target: probeTypes[type].exampleTarget }, type);
    t.equal(compileSchema(probeTypes[type].Spec)(structuredClone(spec)).ok, true, type);
    t.ok(spec.params.timeout_ms > 0, type);
  }
});

t.test('a draw omits nodes that lack the address family of a request; named nodes report it themselves', async (t) => {
  const without = (family: 4 | 6) =>
    aNode({
      selfTest: {
        finished_at: '2026-01-01T00:00:00.000Z',
        checks: [{ name: `ipv${family}`, status: 'failed', detail: 'no route' }],
      },
    });
  const [no4, no6, unknown] = [without(4), without(6), aNode()];
  const draw = (body: object) => new Set(choose([no4, no6, unknown], { nodes: { limit: 50 }, ...body }));
  t.same(draw({ target: '9.9.9.9:80' }), new Set([no6, unknown]));
  t.same(draw({ target: '[2620:fe::fe]:80' }), new Set([no4, unknown]));
  t.same(draw({ target: '10.0.0.1:80' }), new Set([no4, no6, unknown]), 'a network of the operator needs no Internet');
  t.same(draw({ target: 'example.com:80', params: { ip_version: 'v6' } }), new Set([no4, unknown]));
  t.same(draw({ target: 'example.com:80' }), new Set([no4, no6, unknown]));
  t.same(choose([no4], { node_id: no4.id }), [no4]);
  t.match(
    refusalOf(() => choose([no4], { target: '9.9.9.9:80' })),
    { status: 422, details: { nodes: [{ message: /IPv4/ }] } },
  );
});

t.test('parameters that contradict the target or one another are a conflict, of every type', (t) => {
  const policy = new TargetPolicy({ allow: [], own: [], denied: [] });
  const cases: readonly [ProbeType, string, object, field: string][] = [
    ['tcp', 'example.com:443', { port: 444 }, 'params.port'],
    ['smtp', 'example.com:25', { port: 587 }, 'params.port'],
    ['ntp', 'example.com:123', { port: 1230 }, 'params.port'],
    ['ssl', 'example.com:443', { port: 8443 }, 'params.port'],
    ['dns', 'example.com', { trace: true, server: '9.9.9.9' }, 'params.trace'],
    ['dns', 'example.com', { trace: true, transport: 'dot' }, 'params.transport'],
    ['http', 'https://example.com/', { headers: { A: '1', a: '2' } }, 'params.headers.a'],
  ];
  for (const [type, target, params, field] of cases) {
    const refusal = refusalOf(() => checkTarget(request({ target, params }, type), policy));
    t.match(refusal, { status: 400, code: 'VALIDATION_FAILED', details: { [field]: [{ code: 'conflict' }] } }, field);
  }
  t.end();
});

t.test('nodes that can run all of several requests come first, and others that can run some fill up', async (t) => {
  const able = Array.from({ length: 2 }, (_, i) => aNode({ asn: i }));
  const others = Array.from({ length: 3 }, (_, i) => aNode({ asn: 10 + i, capabilities: [] }));
  const share = (nodes: readonly Node[], body: object, ...types: readonly ProbeType[]) => {
    const [first, ...rest] = types.map((type) => request({ ...body, target: 'example.com' }, type));
    if (first === undefined) throw new Error('no request');
    return chooseSharedNodes([first, ...rest], {
      nodes,
      findNode: (id) => nodes.find((node) => node.id === id) ?? null,
      viewer: anybody,
      loadOf: () => 0,
      random: Math.random,
    });
  };
  const nodes = [...others, ...able];
  const both = new Set(share(nodes, { nodes: { limit: 2 } }, 'dns', 'traceroute'));
  t.strictSame(both, new Set(able));
  const four = share(nodes, { nodes: { limit: 4 } }, 'dns', 'traceroute');
  t.equal(four.length, 4);
  t.strictSame(new Set(four.slice(0, 2)), new Set(able));
  t.equal(new Set(four).size, 4, 'no node twice');
  t.strictSame(new Set(share(nodes, {}, 'traceroute')), new Set(able), 'a node that can run none is not chosen');
  t.match(
    refusalOf(() => share(others, {}, 'traceroute')),
    { status: 422, details: { nodes: [{ code: 'not_found' }] } },
  );
  const [named] = others;
  t.strictSame(
    share(nodes, { node_ids: [named?.id] }, 'dns', 'traceroute'),
    [named],
    'named nodes are taken as they are',
  );
});
