import { sql } from 'slonik'

/** No user has said that a transaction stays in no envelope (`isUsers` in field-marks.ts). */
export const isUndecided = sql.fragment`
  coalesce(field_marks -> 'spendingId' <> '{"ruleId": null, "value": null}', true)`
