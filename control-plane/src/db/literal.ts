/** A text as an SQL literal: for the few conditions that a plan for any parameters would not look up in a partial index. */
export { escapeLiteral as literalOf } from 'pg';
