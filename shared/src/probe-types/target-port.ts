import { type Host, parseHostPort } from '../target-policy/host.js';
import { contradictory } from '../target-policy/target-error.js';

/** A spec whose target is a host or host:port, with the port in its parameters as well. */
export interface HostPortSpec {
  readonly target: string;
  readonly params: { readonly port?: number };
}

/** The host of such a target. @throws TargetError */
export function hostOf({ target }: HostPortSpec): Host {
  return parseHostPort(target).host;
}

/** The port named in the target or in the parameters; null where neither names one. @throws TargetError for two that differ */
export function findPort({ target, params }: HostPortSpec): number | null {
  const inTarget = parseHostPort(target).port;
  const inParams = params.port ?? null;
  if (inTarget !== null && inParams !== null && inTarget !== inParams) {
    throw contradictory('params.port', `port ${inParams} contradicts port ${inTarget} of the target`);
  }
  return inTarget ?? inParams;
}
