// Problems of a next date, in requests that create or change a plan or a schedule.
export const notInFuture = 'Next recurrence must be in the future'
export const noDateLeft = 'Ruleset has no date left'
