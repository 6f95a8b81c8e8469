import { isHistoryLong } from '@coffer/kit/workflows/history'
import { activitiesOf } from '@coffer/kit/workflows/task-queue'
import { ActivityFailure, continueAsNew } from '@temporalio/workflow'
import type { ruleRunActivities } from './rule-run.activities.ts'
import type { RuleRunKey } from './rule-run.ts'

const { continueRuleRun, failRuleRun } = activitiesOf<ReturnType<typeof ruleRunActivities>>(
  'ledger',
  {
    startToCloseTimeout: '5 minutes',
    heartbeatTimeout: '10 seconds',
    retry: { maximumAttempts: 10, maximumInterval: '1 minute' },
  },
)

/** Applies rules to stored transactions, or undoes a run; the ID is `rule-run/<ruleRunId>`. */
export async function runRules(key: RuleRunKey): Promise<void> {
  try {
    while (await continueRuleRun(key)) {
      if (isHistoryLong()) await continueAsNew<typeof runRules>(key)
    }
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error
    await failRuleRun(key)
  }
}
