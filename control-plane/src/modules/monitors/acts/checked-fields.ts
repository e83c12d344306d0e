import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { type MonitorType, monitorTypeOf } from '@vantage/shared/monitor-types/index.js';
import type { SecretReach } from '@vantage/shared/monitor-types/secrets.js';
import type { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import type { Sealer } from '../../../crypto/sealing.js';
import { ApiError, fieldError } from '../../../http/errors.js';
import type { Account } from '../../../http/route.js';
import { viewerOf } from '../../../http/viewer.js';
import { ownedColumns } from '../../../owners/index.js';
import { effectiveLimits, type Plan, type Plans } from '../../../plans/index.js';
import { refuseDerivedFields, refuseNodeFields } from '../definition/heartbeat-fields.js';
import { intervalOf } from '../definition/intervals.js';
import { refuseMaskedTarget } from '../definition/masked-target.js';
import { blankMonitor, rest, ruleOf, same, selectionOf, settingsOf } from '../definition/monitor-body.js';
import type { MonitorChange, MonitorCreate } from '../definition/schema.js';
import {
  joinSecrets,
  keptSecrets,
  openSecrets,
  purposeOf,
  refuseMoved,
  refuseUnknown,
  sealSecrets,
  splitSecrets,
} from '../definition/sealed-secrets.js';
import { tooFewWithin } from '../definition/secret-reach.js';
import { parseSettings } from '../definition/settings.js';
import type { MonitorFields, MonitorRow } from '../definition/store.js';
import { HEARTBEAT, monitorTypeNamed } from '../definition/type-names.js';
import type { HeartbeatActs } from '../heartbeats/heartbeat-acts.js';
import { type Placing, wantedOf } from '../placement/placing.js';

export interface CheckedFieldsOptions {
  readonly clock: Clock;
  readonly plans: Plans;
  readonly policy: () => TargetPolicy;
  readonly placing: Pick<Placing, 'isPossible'>;
  readonly sealer: Sealer;
  readonly heartbeats: HeartbeatActs;
}

/**
 * Fields that are stored for new and changed monitors, checked except against other monitors.
 * Each throws ApiError VALIDATION_FAILED, MONITOR_INVALID_TARGET and the like.
 */
export class CheckedFields {
  constructor(private readonly options: CheckedFieldsOptions) {}

  /** Fields of a new monitor. `shown`: the part of its token that a heartbeat shows; default: that of a token that is not kept. */
  async ofNew(
    body: MonitorCreate,
    account: Account,
    shown = this.options.heartbeats.makeToken().shown,
  ): Promise<MonitorFields> {
    const type = monitorTypeNamed(body.type);
    const id = newId(idPrefixes.monitor, this.options.clock.now());
    const own = { id, name: body.name.trim(), type, ...ownedColumns(account) };
    const blank = { ...blankMonitor, ...own };
    if (type === HEARTBEAT) return this.#heartbeatFieldsOf(body, { ...blank, target: shown });
    return this.#fieldsOf(type, body, blank, account);
  }

  /** Fields of a changed monitor; those that `body` does not have keep their values. */
  async ofChanged(body: MonitorChange, before: MonitorRow, account: Account): Promise<MonitorFields> {
    if (before.type !== HEARTBEAT) return this.#fieldsOf(before.type as MonitorType, body, before, account);
    refuseDerivedFields(body);
    return this.#heartbeatFieldsOf(body, before);
  }

  /** Fields with secrets opened, for comparison: equal secrets differ when they are sealed again. */
  opened(fields: MonitorFields): MonitorFields {
    const secrets = openSecrets(fields, this.options.sealer);
    return { ...fields, config: { ...joinSecrets(fields.config, secrets) } };
  }

  /** Same as `#fieldsOf`, for a heartbeat. */
  #heartbeatFieldsOf(body: Partial<MonitorCreate>, before: MonitorFields): MonitorFields {
    refuseNodeFields(body);
    const given = settingsOf(body, before) ?? before.config;
    const { config, intervalSeconds } = this.options.heartbeats.parse(given);
    return {
      ...before,
      ...rest(body, before),
      name: (body.name ?? before.name).trim(),
      interval_s: intervalSeconds,
      config: { ...config },
      node_selection: {},
      node_count: 0,
    };
  }

  /** Fields of a monitor after `body` was applied to the previous ones. */
  async #fieldsOf(
    type: MonitorType,
    body: Partial<MonitorCreate>,
    before: MonitorFields,
    account: Account,
  ): Promise<MonitorFields> {
    const { plans, sealer, policy, placing } = this.options;
    const selection = selectionOf(body, before);
    const target = body.target ?? before.target;
    if (target === '') throw fieldError('target', 'required', 'is required');
    refuseMaskedTarget(target);
    const secrets = openSecrets(before, sealer);
    const given = settingsOf(body, before);
    const asked = given ?? before.config;
    const whole = parseSettings(type, target, joinSecrets(asked, secrets), policy());
    const purpose = purposeOf(target, whole);
    refuseUnknown(type, asked, secrets);
    refuseMoved(keptSecrets(asked, secrets), purpose);
    const split = splitSecrets(type, whole);
    const fields: MonitorFields = {
      ...before,
      ...rest(body, before),
      name: (body.name ?? before.name).trim(),
      target,
      interval_s: intervalIn(type, body, before, effectiveLimits(plans, account)),
      config: { ...split.shown },
      sealed_secrets: sealSecrets(split.secrets, purpose, sealer),
      node_selection: selection,
      node_count: selection.limit,
      ...ruleOf(body, before),
    };
    const wanted = wantedOf({ ...fields, config: { ...whole } }, viewerOf(account));
    const isAboutNodes = given !== null || body.node_selection || body.nodes || body.target;
    if (isAboutNodes && wanted && !placing.isPossible(wanted)) {
      const { secretReach } = wanted;
      throw secretReach !== null && placing.isPossible({ ...wanted, secretReach: null })
        ? noNodeFor(secretReach)
        : noNode(type);
    }
    return fields;
  }
}

function intervalIn(type: MonitorType, body: Partial<MonitorCreate>, before: MonitorFields, plan: Plan): number {
  const asked = same(body, 'interval_s', 'interval_sec');
  if (asked === undefined && before.interval_s > 0) return before.interval_s;
  return intervalOf(asked, monitorTypeOf(type).defaultIntervalSeconds, plan);
}

const NEEDS_CHROMIUM = ', which needs Chromium on the node: VANTAGE_CHROMIUM of its agent names it';

function noNode(type: MonitorType): ApiError {
  const needs = monitorTypeOf(type).capability === 'browser' ? NEEDS_CHROMIUM : '';
  const message = `no node that you may use matches the selection, the target and the type${needs}`;
  return new ApiError('VALIDATION_FAILED', {
    status: 422,
    details: { node_selection: [{ code: 'not_found', message }] },
  });
}

function noNodeFor(reach: SecretReach): ApiError {
  const message = `no suitable node may get its credentials, headers and body: ${tooFewWithin(reach)}`;
  return new ApiError('VALIDATION_FAILED', {
    status: 422,
    details: { 'config.allow_secrets_on': [{ code: 'refused', message }] },
  });
}
