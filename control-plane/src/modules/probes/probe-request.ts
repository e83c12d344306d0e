import type { Capability } from '@vantage/shared/probe-types/definition.js';
import { definitionOf, type ProbeSpecs, type ProbeType, probeTypes } from '@vantage/shared/probe-types/index.js';
import { TargetError } from '@vantage/shared/target-policy/host.js';
import { isSpecialAddress, type TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import { checkSpec } from '@vantage/shared/target-policy/spec.js';
import type { FieldErrors } from '@vantage/shared/validation.js';
import { ApiError } from '../../http/errors.js';
import type { Viewer } from '../../http/viewer.js';
import { isVisibleTo, type Node, type NodeSelection, statusOf, suitableFor } from '../nodes/index.js';
import { DEFAULT_NODE_LIMIT, drawNodes } from './draw-nodes.js';

/** A validated probe request: the spec with defaults, and the nodes, by id or by a selection. */
export interface ProbeRequest<T extends ProbeType = ProbeType> {
  readonly type: T;
  readonly spec: ProbeSpecs[T];
  readonly nodeIds: readonly string[] | null;
  readonly selection: NodeSelection;
  /** Present if everyone who has the id of the task may read it. */
  readonly isShared?: true;
}

/** Body of a probe operation, after validation against its schema. */
export interface ProbeBody {
  readonly target: string;
  readonly params: object;
  readonly node_id?: string;
  readonly node_ids?: readonly string[];
  readonly nodes?: NodeSelection;
  readonly shared?: boolean;
}

/** Converts a body into a request. @throws ApiError VALIDATION_FAILED when nodes are named in two ways */
export function toProbeRequest<T extends ProbeType>(type: T, body: ProbeBody): ProbeRequest<T> {
  const given = (['node_id', 'node_ids', 'nodes'] as const).filter((field) => body[field] !== undefined);
  if (given.length > 1) {
    const details: FieldErrors = {};
    for (const field of given) {
      const others = given.filter((other) => other !== field);
      details[field] = [{ code: 'conflict', message: `excludes ${others.join(' and ')}` }];
    }
    throw new ApiError('VALIDATION_FAILED', { details });
  }
  const nodeIds = body.node_id === undefined ? (body.node_ids ?? null) : [body.node_id];
  return {
    type,
    spec: { target: body.target, params: body.params } as ProbeSpecs[T],
    nodeIds,
    selection: body.nodes ?? {},
    ...(body.shared === true ? { isShared: true } : {}),
  };
}

/**
 * Checks that the target is valid and may be probed.
 * @throws ApiError VALIDATION_FAILED (400) for an invalid one, PROBE_TARGET_INVALID (422) for a forbidden one
 */
export function checkTarget(request: ProbeRequest, policy: TargetPolicy): void {
  try {
    checkSpec(request.type, request.spec, policy);
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    const { kind, field, code, message } = error;
    throw new ApiError(kind === 'refused' ? 'PROBE_TARGET_INVALID' : 'VALIDATION_FAILED', {
      details: { [field]: [{ code, message }] },
    });
  }
}

interface Choice {
  readonly request: ProbeRequest;
  readonly nodes: readonly Node[];
  readonly findNode: (id: string) => Node | null;
  readonly viewer: Viewer;
  readonly loadOf: (node: Node) => number;
  readonly random: () => number;
}

/**
 * Chooses the nodes that a request runs on: the named ones, or a random selection of those that match.
 * @throws ApiError NODE_NOT_FOUND, NODE_OFFLINE for a named node; VALIDATION_FAILED (422, details.nodes) when none matches,
 * UNAVAILABLE (details.nodes) when none is online
 */
export function chooseNodes(choice: Choice): Node[] {
  return choice.request.nodeIds ? namedNodes(choice, choice.request.nodeIds) : selectedNodes(choice);
}

/** Thing that a probe needs of a node: a capability, or access to the Internet over an IP family. */
export type NodeNeed = Capability | 'ipv4' | 'ipv6';

/** Node that a selection matches and that cannot run the probe, with what it lacks. */
export interface UnfitNode {
  readonly nodeId: string;
  readonly lacks: NodeNeed;
}

/** Online nodes that a selection matches and that cannot run the probe, as many as `chosen` nodes are fewer than asked for. */
export function unfitNodes(choice: Pick<Choice, 'request' | 'nodes' | 'viewer'>, chosen: number): UnfitNode[] {
  const { request, viewer } = choice;
  const missing = (request.selection.limit ?? DEFAULT_NODE_LIMIT) - chosen;
  if (request.nodeIds !== null || missing <= 0) return [];
  const online = onlineNodes(choice);
  // all were chosen, which is nearly always so in a network of few nodes
  if (online.length === chosen) return [];
  const { capability, family } = needsOf(request);
  const matching = { viewer, selection: request.selection, capability: null, family: null };
  const isSelected = suitableFor(matching);
  const isCapable = suitableFor({ ...matching, capability });
  const hasFamily = suitableFor({ ...matching, family });
  return online
    .filter(isSelected)
    .flatMap((node): UnfitNode[] => {
      if (capability !== null && !isCapable(node)) return [{ nodeId: node.id, lacks: capability }];
      return family === null || hasFamily(node) ? [] : [{ nodeId: node.id, lacks: `ipv${family}` as const }];
    })
    .slice(0, missing);
}

/**
 * Chooses the nodes that requests with the same nodes or selection share. Of a selection, nodes that can run all of them come first;
 * others that can run some fill up to the limit.
 * @throws ApiError as `chooseNodes`
 */
export function chooseSharedNodes(
  requests: readonly [ProbeRequest, ...ProbeRequest[]],
  choice: Omit<Choice, 'request'>,
): Node[] {
  const [{ nodeIds, selection }] = requests;
  if (nodeIds !== null) return namedNodes(choice, nodeIds);
  const able = requests.map((request) => new Set(candidatesFor({ ...choice, request })));
  const some = [...new Set(able.flatMap((nodes) => [...nodes]))];
  if (some.length === 0) throw noneMatches({ ...choice, request: requests[0] });
  const all = some.filter((node) => able.every((nodes) => nodes.has(node)));
  const drawn = drawNodes({ ...choice, candidates: all, selection });
  const left = (selection.limit ?? DEFAULT_NODE_LIMIT) - drawn.length;
  if (left <= 0) return drawn;
  const others = some.filter((node) => !drawn.includes(node));
  return [...drawn, ...drawNodes({ ...choice, candidates: others, selection: { ...selection, limit: left } })];
}

function namedNodes({ findNode, viewer }: Pick<Choice, 'findNode' | 'viewer'>, ids: readonly string[]): Node[] {
  const nodes = ids.map((id) => findNode(id));
  const usable = nodes.filter((node) => node !== null && isVisibleTo(node, viewer) && !node.isBanned) as Node[];
  if (usable.length < ids.length) throw new ApiError('NODE_NOT_FOUND');
  if (usable.some((node) => statusOf(node) !== 'online')) throw new ApiError('NODE_OFFLINE', { retryAfterSeconds: 5 });
  return usable;
}

function selectedNodes(choice: Choice): Node[] {
  const candidates = candidatesFor(choice);
  if (candidates.length > 0) return drawNodes({ ...choice, candidates, selection: choice.request.selection });
  throw noneMatches(choice);
}

function candidatesFor(choice: Choice): Node[] {
  const { request, viewer } = choice;
  return onlineNodes(choice).filter(suitableFor({ viewer, selection: request.selection, ...needsOf(request) }));
}

function onlineNodes({ nodes, viewer }: Pick<Choice, 'nodes' | 'viewer'>): Node[] {
  return nodes.filter((node) => isVisibleTo(node, viewer) && statusOf(node) === 'online');
}

function needsOf(request: ProbeRequest) {
  return { capability: capabilityOf(request), family: familyOf(request) };
}

function noneMatches(choice: Choice): ApiError {
  const { request, viewer } = choice;
  const online = onlineNodes(choice);
  const isSelected = suitableFor({ viewer, selection: request.selection, capability: null, family: null });
  const found = { isAnyOnline: online.length > 0, isAnySelected: online.some(isSelected), ...needsOf(request) };
  const details = { nodes: [{ code: 'not_found' as const, message: whyNone(found) }] };
  // the request is right: what is missing is a node
  if (!found.isAnyOnline) {
    const isNotConfigured = !choice.nodes.some((node) => isVisibleTo(node, viewer));
    return new ApiError('UNAVAILABLE', { details, isNotConfigured });
  }
  return new ApiError('VALIDATION_FAILED', { status: 422, details });
}

/** Remedy for the lack of a node, in the words of a refusal. */
const HOW_TO_ENROLL =
  'enroll one: create a token with `vantage-control enrollment-token create` or POST /v1/nodes/enrollment-tokens, and run `vantage-agent enroll` on its machine';

/** Capability that a node needs for a request, or null. A TCP ping needs no raw socket. */
function capabilityOf({ type, spec }: ProbeRequest): Capability | null {
  if (type === 'ping' && (spec as ProbeSpecs['ping']).params.protocol === 'tcp') return null;
  return probeTypes[type].capability;
}

/**
 * IP family that a request needs of a node's Internet access: that of a literal address, or the requested one; null for either, or for
 * none, since the address is on a network of the operator's own.
 */
function familyOf({ type, spec }: ProbeRequest): 4 | 6 | null {
  const host = definitionOf(type).targetHost(spec);
  if (host.kind === 'address' && type !== 'dns') return isSpecialAddress(host.address) ? null : host.family;
  const asked = 'ip_version' in spec.params ? spec.params.ip_version : 'auto';
  return asked === 'v4' ? 4 : asked === 'v6' ? 6 : null;
}

function whyNone(found: {
  readonly isAnyOnline: boolean;
  readonly isAnySelected: boolean;
  readonly capability: Capability | null;
  readonly family: 4 | 6 | null;
}): string {
  if (!found.isAnyOnline) return `no node that you may use is online; ${HOW_TO_ENROLL}`;
  if (!found.isAnySelected) return 'no online node matches this selection';
  const needs = [
    ...(found.capability === null ? [] : [needTexts[found.capability]]),
    ...(found.family === null ? [] : [`IPv${found.family}`]),
  ];
  return `no online node that matches has ${needs.join(' and ')}; \`vantage-agent doctor\` on a node says what it lacks`;
}

/** Names of capabilities, for people and programs. */
const needTexts: Readonly<Record<Capability, string>> = {
  icmp: 'raw sockets for ICMP (icmp)',
  icmp_echo: 'ICMP (icmp_echo)',
  browser: 'a browser (browser)',
};
