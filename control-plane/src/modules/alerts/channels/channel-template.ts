import type { FieldErrors } from '@vantage/shared/validation.js';
import { type Static, Type } from 'typebox';
import { bodyFormOf } from '../../../config/body-form.js';
import { ApiError } from '../../../http/errors.js';
import type { ChannelType } from '../types/channel-type.js';
import { type BodyError, parseBody } from '../types/template/body-template.js';
import { customTextErrors } from '../types/template/custom-text.js';
import type { TemplateError } from '../types/template/parse-template.js';
import type { ChannelConfig } from './channel-config.js';

const Text = (description: string, maxLength: number) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description, example: '{{monitor.name}}' }));

/** Texts of the owner in place of the default ones. */
export const ChannelTemplateSchema = Type.Object(
  {
    title: Text('Title of messages while something is wrong.', 500),
    text: Text('Text of these messages, in place of facts, items and note.', 8_192),
    resolved_title: Text('Title of messages about the end of an alert.', 500),
    resolved_text: Text('Text of messages about the end of an alert.', 8_192),
    body: Text('Body of requests, of the type webhook only: the same as `config.body`.', 8_192),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    title: 'AlertChannelTemplate',
    example: { title: '[{{severity|upper}}] {{monitor.name}}', resolved_title: 'Over: {{monitor.name}}' },
    description:
      'Texts with placeholders such as `{{monitor.name}}` or `{{alert.reason|upper}}`; what is left out is the default. Tests, verifications and notices keep their texts.',
  },
);

/** Texts of the owner for a channel. */
export type ChannelTemplate = Static<typeof ChannelTemplateSchema>;

/**
 * Checks texts, and that only one place has a body.
 * @throws ApiError VALIDATION_FAILED with the place of each unknown variable or filter
 */
export function checkTemplate(type: ChannelType, template: ChannelTemplate | null, config: ChannelConfig): void {
  if (template === null) return;
  const details: FieldErrors = {};
  for (const [field, errors] of Object.entries(customTextErrors(template)))
    details[`template.${field}`] = errors.map(({ line, column, message }) =>
      complaint({ line, column, message, path: null }),
    );
  const { body } = template;
  if (body !== undefined) details['template.body'] = bodyErrors(type, body, config);
  const wrong = Object.entries(details).filter(([, errors]) => errors.length > 0);
  if (wrong.length > 0) throw new ApiError('VALIDATION_FAILED', { details: Object.fromEntries(wrong) });
}

/** Settings with the body of a template, which stands for that of the settings. */
export function withTemplateBody(config: ChannelConfig, template: ChannelTemplate | null): ChannelConfig {
  return template?.body === undefined ? config : { ...config, body: template.body };
}

function bodyErrors(type: ChannelType, body: string, config: ChannelConfig): FieldErrors[string] {
  if (!('body' in type.config.properties)) return [{ code: 'unknown', message: `is not for the type ${type.name}` }];
  if (config['body'] !== undefined) return [{ code: 'conflict', message: 'must not be given with config.body' }];
  // a content type without a form is refused with the settings
  const parsed = parseBody(body, bodyFormOf(String(config['content_type'] ?? 'application/json')) ?? 'text');
  return parsed.ok ? [] : parsed.errors.map(complaint);
}

function complaint({
  line,
  column,
  path,
  message,
}: TemplateError & Pick<BodyError, 'path'>): FieldErrors[string][number] {
  const leaf = path === null || path === '' ? '' : `${path}: `;
  return { code: 'format', message: `${leaf}line ${line}, column ${column} ${message}` };
}
