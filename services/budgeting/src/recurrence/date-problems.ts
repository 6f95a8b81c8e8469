import { say } from '@coffer/kit/reasons/reasons'
// Problems of a next date, in requests that create or change a plan or a schedule.
export const notInFuture = say('NEXT_NOT_IN_FUTURE')
export const noDateLeft = say('RULE_WITHOUT_DATE')
