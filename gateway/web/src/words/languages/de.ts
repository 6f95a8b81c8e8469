import { accounts } from './de/accounts.ts'
import { billing } from './de/billing.ts'
import { bulk } from './de/bulk.ts'
import { days } from './de/days.ts'
import { envelopes } from './de/envelopes.ts'
import { faults } from './de/faults.ts'
import { forecast } from './de/forecast.ts'
import { frame, keys } from './de/frame.ts'
import { help } from './de/help.ts'
import { history } from './de/history.ts'
import { home } from './de/home.ts'
import { imports } from './de/imports.ts'
import { links } from './de/links.ts'
import { records } from './de/records.ts'
import { ruleRuns } from './de/rule-runs.ts'
import { ruleSuggestions } from './de/rule-suggestions.ts'
import { rulePhrases, rules } from './de/rules.ts'
import { schedules } from './de/schedules.ts'
import { settings } from './de/settings.ts'
import { signIn } from './de/sign-in.ts'
import { start } from './de/start.ts'
import { tags } from './de/tags.ts'
import { transactions } from './de/transactions.ts'
import { webhooks } from './de/webhooks.ts'

/** All texts in German. */
export const texts = {
  accounts,
  billing,
  bulk,
  days,
  envelopes,
  faults,
  forecast,
  frame,
  keys,
  help,
  history,
  home,
  imports,
  links,
  records,
  ruleRuns,
  ruleSuggestions,
  rulePhrases,
  rules,
  schedules,
  settings,
  signIn,
  start,
  tags,
  transactions,
  webhooks,
}
