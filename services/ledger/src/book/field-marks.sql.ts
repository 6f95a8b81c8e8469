import { sql } from 'slonik'

/**
 * SQL condition: no mark says that the user has set `spendingId` (`isUsers` in field-marks.ts). A
 * user also sets it by deciding that the transaction has no envelope.
 */
export const isUndecided = sql.fragment`
  coalesce(field_marks -> 'spendingId' <> '{"ruleId": null, "value": null}', true)`

/** SQL value: the marks of a transaction after the user has set `spendingId` (`markEdits`). */
export const decidedMarks = sql.fragment`
  coalesce(field_marks, '{}') || '{"spendingId": {"ruleId": null, "value": null}}'`
