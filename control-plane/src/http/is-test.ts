import { Type } from 'typebox';

/** Field of every record that a test key can make. */
export const IsTestSchema = Type.Boolean({
  description:
    'True if the record was created with a test key. Test keys see only such records, and no one is notified about them.',
});
