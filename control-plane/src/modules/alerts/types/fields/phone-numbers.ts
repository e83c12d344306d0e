import { Type } from 'typebox';

/** Schema of a list of telephone numbers (ITU-T E.164). */
export function phoneNumbersSchema(most: number, description: string) {
  return Type.Array(Type.String({ pattern: '^\\+[1-9][0-9]{6,14}$', example: '+8613800000000' }), {
    minItems: 1,
    maxItems: most,
    uniqueItems: true,
    description,
    example: ['+8613800000000'],
  });
}
