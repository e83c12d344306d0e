import { definitionOf, type ProbeSpecs, type ProbeType, probeTypes } from '@vantage/shared/probe-types/index.js';
import { TargetError } from '@vantage/shared/target-policy/host.js';
import type { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import { checkSpec } from '@vantage/shared/target-policy/spec.js';
import type { FieldErrors } from '@vantage/shared/validation.js';
import { ApiError } from '../../http/errors.js';
import {
  isVisibleTo,
  lacksFamily,
  matches,
  type Node,
  type NodeSelection,
  selectNodes,
  statusOf,
  type Viewer,
} from '../nodes/index.js';

/** A validated probe request: the spec with defaults, and one of three ways to name nodes. */
export interface ProbeRequest<T extends ProbeType = ProbeType> {
  readonly type: T;
  readonly spec: ProbeSpecs[T];
  readonly nodeIds: readonly string[] | null;
  readonly selection: NodeSelection;
}

/** The body of a probe operation, as its schema lets it through. */
export interface ProbeBody {
  readonly target: string;
  readonly params: object;
  readonly node_id?: string;
  readonly node_ids?: readonly string[];
  readonly nodes?: NodeSelection;
}

/** Body to request. @throws ApiError VALIDATION_FAILED when nodes are named in two ways */
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
  };
}

/** @throws ApiError VALIDATION_FAILED (400) for what is no target, PROBE_TARGET_INVALID (422) for what may not be touched */
export function checkTarget(request: ProbeRequest, policy: TargetPolicy): void {
  try {
    checkSpec(request.type, request.spec, policy);
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    const isRefused = error.kind === 'refused';
    throw new ApiError(isRefused ? 'PROBE_TARGET_INVALID' : 'VALIDATION_FAILED', {
      details: { [error.field]: [{ code: isRefused ? 'refused' : 'format', message: error.message }] },
    });
  }
}

interface Choice {
  readonly request: ProbeRequest;
  readonly nodes: Iterable<Node>;
  readonly findNode: (id: string) => Node | null;
  readonly viewer: Viewer;
  readonly loadOf: (node: Node) => number;
  readonly random: () => number;
}

/**
 * The nodes a request runs on: those it names, or a draw among those that fit.
 * @throws ApiError NODE_NOT_FOUND, NODE_OFFLINE for a named node; VALIDATION_FAILED (422, details.nodes) when none fits
 */
export function chooseNodes(choice: Choice): Node[] {
  return choice.request.nodeIds ? namedNodes(choice, choice.request.nodeIds) : drawnNodes(choice);
}

function namedNodes({ findNode, viewer }: Choice, ids: readonly string[]): Node[] {
  const nodes = ids.map((id) => findNode(id));
  const usable = nodes.filter((node) => node !== null && isVisibleTo(node, viewer) && !node.isBanned) as Node[];
  if (usable.length < ids.length) throw new ApiError('NODE_NOT_FOUND');
  if (usable.some((node) => statusOf(node) !== 'online')) throw new ApiError('NODE_OFFLINE', { retryAfterSeconds: 5 });
  return usable;
}

function drawnNodes({ request, nodes, viewer, loadOf, random }: Choice): Node[] {
  const { selection } = request;
  const online = [...nodes].filter((node) => isVisibleTo(node, viewer) && statusOf(node) === 'online');
  const allowed = selection.owned ? online.filter((node) => node.ownerId === viewer.userId) : online;
  const capability = capabilityOf(request);
  const family = familyOf(request);
  const candidates = allowed.filter(
    (node) =>
      (capability === null || node.capabilities.includes(capability)) &&
      (family === null || !lacksFamily(node, family)),
  );
  const chosen = selectNodes({ candidates, selection, loadOf, random });
  if (chosen.length > 0) return chosen;
  const message = whyNone({
    isAnyOnline: online.length > 0,
    isAnyFitting: allowed.some((node) => matches(node, selection)),
    capability,
    family,
  });
  throw new ApiError('VALIDATION_FAILED', { status: 422, details: { nodes: [{ code: 'not_found', message }] } });
}

/** A TCP ping needs no raw socket, whatever its type says. */
function capabilityOf({ type, spec }: ProbeRequest): string | null {
  if (type === 'ping' && (spec as ProbeSpecs['ping']).params.protocol === 'tcp') return null;
  return probeTypes[type].capability;
}

/** The family a request can't do without: of a literal, or as asked for; null: either will do. */
function familyOf({ type, spec }: ProbeRequest): 4 | 6 | null {
  const host = definitionOf(type).targetHost(spec);
  if (host.kind === 'address' && type !== 'dns') return host.family;
  const asked = 'ip_version' in spec.params ? spec.params.ip_version : 'auto';
  return asked === 'v4' ? 4 : asked === 'v6' ? 6 : null;
}

function whyNone(found: {
  readonly isAnyOnline: boolean;
  readonly isAnyFitting: boolean;
  readonly capability: string | null;
  readonly family: 4 | 6 | null;
}): string {
  if (!found.isAnyOnline) return 'no node is online';
  if (!found.isAnyFitting) return 'no online node matches this selection';
  const needs = [found.capability, found.family === null ? null : `IPv${found.family}`].filter((need) => need !== null);
  return `no online node that matches can do ${needs.join(' over ')}`;
}
