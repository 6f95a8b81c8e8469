import { setTimeout as sleep } from 'node:timers/promises'
import { auditPlans } from '@coffer/budgeting/reconciliation/audit.sql'
import { budgeting } from '@coffer/budgeting/service'
import { toldEventsOf } from '@coffer/host/events/told-events'
import type { Environment } from '@coffer/host/settings'
import { auditLedger } from '@coffer/ledger/money/audit.sql'
import { auditPages } from '@coffer/ledger/money/audit-pages.sql'
import { ledger } from '@coffer/ledger/service'
import { auditFeeds } from '@coffer/notices/deliveries/audit.sql'
import { notices } from '@coffer/notices/service'
import { createServiceDatabase } from '../process/databases.ts'
import { definitions } from '../process/services.ts'
import { requireTables } from '../process/tables.ts'
import { readConfig } from '../settings/environment.ts'

/** Timeout of an SQL statement of the audit, which reads whole tables. */
const statementTimeoutMs = 60 * 60_000

/** Pause before the second check, so that writes in progress at the first check have ended. */
const secondLookMs = 2_000

type Finding = { accountId: string; rule: string; detail: string }

/**
 * `coffer audit`: checks the invariants of the money, compares plans with the ledger
 * (docs/money.md#audit), and checks feeds and webhooks (docs/api/changes.md#audit). Prints each
 * violation. Returns the exit code: 0 without violations, else 1.
 */
export async function audit(env: Environment): Promise<number> {
  const config = { ...readConfig(env), statementTimeoutMs }
  await requireTables(definitions, config)
  await using money = await createServiceDatabase(ledger, config)
  await using plans = await createServiceDatabase(budgeting, config)
  await using feeds = await createServiceDatabase(notices, config)
  const lookAtPlans = () => auditPlans(plans, auditPages(money))
  const lookAtFeeds = () => auditFeeds(feeds, toldEvents(config))
  const findings = [
    ...(await auditLedger(money)),
    ...(await lasting(lookAtPlans)),
    ...(await lasting(lookAtFeeds)),
  ]
  for (const finding of findings) {
    console.log(renderFinding(finding))
  }
  console.log(findings.length === 0 ? 'everything adds up' : `${findings.length} findings`)
  return findings.length === 0 ? 0 : 1
}

/** Lists the events that all services have published, service by service. */
async function* toldEvents(config: ReturnType<typeof readConfig>) {
  for (const definition of definitions) {
    await using database = await createServiceDatabase(definition, config)
    yield* toldEventsOf(database)
  }
}

/**
 * Returns the findings that a second check repeats, since a single check may read during a write.
 */
async function lasting(look: () => Promise<Finding[]>): Promise<Finding[]> {
  const first = await look()
  if (first.length === 0) return first
  await sleep(secondLookMs)
  const again = new Set((await look()).map(renderFinding))
  return first.filter((finding) => again.has(renderFinding(finding)))
}

function renderFinding({ accountId, rule, detail }: Finding): string {
  return `${accountId}: not true that ${rule}: ${detail}`
}
