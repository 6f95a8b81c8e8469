import { accounts } from './en/accounts.ts'
import { billing } from './en/billing.ts'
import { bulk } from './en/bulk.ts'
import { days } from './en/days.ts'
import { envelopes } from './en/envelopes.ts'
import { faults } from './en/faults.ts'
import { forecast } from './en/forecast.ts'
import { frame, keys } from './en/frame.ts'
import { help } from './en/help.ts'
import { history } from './en/history.ts'
import { home } from './en/home.ts'
import { imports } from './en/imports.ts'
import { links } from './en/links.ts'
import { records } from './en/records.ts'
import { ruleRuns } from './en/rule-runs.ts'
import { ruleSuggestions } from './en/rule-suggestions.ts'
import { rulePhrases, rules } from './en/rules.ts'
import { schedules } from './en/schedules.ts'
import { settings } from './en/settings.ts'
import { signIn } from './en/sign-in.ts'
import { start } from './en/start.ts'
import { tags } from './en/tags.ts'
import { transactions } from './en/transactions.ts'
import { webhooks } from './en/webhooks.ts'

/** All texts in English. */
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
