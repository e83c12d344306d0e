import type { ProbeType } from '@vantage/shared/probe-types/index.js';
import { isStorableText } from '@vantage/shared/text.js';
import { fieldError } from '../../../http/errors.js';
import { paramValues } from './form-params.js';

/** Kind of the form that creates a report. */
export const REPORT = 'report';

/** Beginning of the kinds of the form that look something up; the kind of the lookup follows. */
export const LOOKUP = 'lookup/';

/** Fields of the start page's form, as they were sent. */
export interface StartForm {
  /** Type of a probe, `report`, or `lookup/` and a kind. */
  readonly type: string;
  readonly target: string;
  /** Country code; empty: anywhere. */
  readonly from: string;
  /** Greatest number of nodes. */
  readonly limit: number;
  /** Parameters by the names of their fields: `dns.record_type`. */
  readonly params: ReadonlyMap<string, string>;
}

/** Checks that each field is a text that can be stored. @throws ApiError VALIDATION_FAILED */
export function checkFields(fields: URLSearchParams): void {
  for (const [name, value] of fields) if (!isStorableText(value)) throw fieldError(name, 'format', 'is not a text');
}

/** The visible fields; those that were not sent have their defaults. */
export function shownFields(fields: URLSearchParams): StartForm {
  return {
    type: fields.get('type') ?? 'http',
    target: fields.get('target') ?? '',
    from: fields.get('from') ?? '',
    limit: Number(fields.get('limit') ?? 3),
    params: new Map([...fields].filter(([name]) => name.includes('.'))),
  };
}

/** Body of the operation that creates a report. */
export function reportBody({ target, from, limit }: StartForm): object {
  return { target: target.trim(), nodes: selectionOf({ from, limit }) };
}

/**
 * Body of the operation that runs a probe. A target without a scheme is asked by https. A form that repeats a probe names
 * its nodes: those that `isOnline` are asked again, and any nodes if there is none. @throws ApiError VALIDATION_FAILED
 */
export function probeBody(type: ProbeType, fields: URLSearchParams, isOnline: (nodeId: string) => boolean): object {
  const form = shownFields(fields);
  const online = (fields.get('nodes') ?? '').split(',').filter(isOnline);
  const repeated = fields.get('params');
  const text = form.target.trim();
  return {
    target: type === 'http' && text !== '' && !/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? `https://${text}` : text,
    params: repeated === null ? paramValues(type, fields) : readJson(repeated),
    ...(online.length > 0 ? { node_ids: online } : { nodes: selectionOf(form) }),
  };
}

function selectionOf({ from, limit }: Pick<StartForm, 'from' | 'limit'>): object {
  return { ...(from === '' ? {} : { countries: [from] }), limit };
}

function readJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw fieldError('params', 'format', 'must be JSON');
  }
}
