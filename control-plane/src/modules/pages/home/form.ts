import { isStorableText } from '@vantage/shared/text.js';
import { fieldError } from '../../../http/errors.js';

/** Fields of the form that runs a probe, as they were sent. */
export interface ProbeForm {
  readonly type: string;
  readonly target: string;
  /** Country code; empty: anywhere. */
  readonly from: string;
  /** Greatest number of nodes. */
  readonly limit: number;
}

/** Fields of an empty form. */
export const emptyForm: ProbeForm = { type: 'http', target: '', from: '', limit: 3 };

/** Checks that each field is a text that can be stored. @throws ApiError VALIDATION_FAILED */
export function checkFields(fields: URLSearchParams): void {
  for (const [name, value] of fields) if (!isStorableText(value)) throw fieldError(name, 'format', 'is not a text');
}

/** The visible fields. */
export function shownFields(fields: URLSearchParams): ProbeForm {
  return {
    type: fields.get('type') ?? emptyForm.type,
    target: fields.get('target') ?? '',
    from: fields.get('from') ?? '',
    limit: Number(fields.get('limit') ?? emptyForm.limit),
  };
}

/**
 * Body of the operation that the form stands for. A target without a scheme is asked by https. A form that repeats a probe names
 * its nodes: those that `isOnline` are asked again, and any nodes if there is none. @throws ApiError VALIDATION_FAILED
 */
export function probeBody(fields: URLSearchParams, isOnline: (nodeId: string) => boolean): object {
  const { type, target, from, limit } = shownFields(fields);
  const online = (fields.get('nodes') ?? '').split(',').filter(isOnline);
  const selection = { ...(from === '' ? {} : { countries: [from] }), limit };
  const text = target.trim();
  return {
    target: type === 'http' && text !== '' && !/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? `https://${text}` : text,
    params: paramsOf(fields.get('params')),
    ...(online.length > 0 ? { node_ids: online } : { nodes: selection }),
  };
}

function paramsOf(json: string | null): unknown {
  if (json === null) return {};
  try {
    return JSON.parse(json);
  } catch {
    throw fieldError('params', 'format', 'must be JSON');
  }
}
