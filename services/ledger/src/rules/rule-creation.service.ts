import { type JsonValue, toJson } from '@bufbuild/protobuf'
import { lockBound, requireWithin } from '@coffer/kit/database/account-bound.sql'
import type { Queries, Transaction as Tx } from '@coffer/kit/database/database'
import { say } from '@coffer/kit/reasons/reasons'
import { invalid } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { foldText } from '@coffer/kit/values/fold'
import { newId } from '@coffer/kit/values/id'
import {
  type RuleActions,
  RuleActionsSchema,
  type RuleConditions,
  RuleConditionsSchema,
  RuleSchema,
} from '@coffer/proto/ledger/v1/rule'
import { sql } from 'slonik'
import { distinctTags, findBlankTags, visible } from '../book/tags.ts'
import { findOwner } from '../transactions/transaction.sql.ts'
import { readParts } from './rule.service.ts'
import { findNamedAccount, insertRule, type Rule } from './rule.sql.ts'
import { rulesMax } from './rule.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock'>

/** A rule to create. */
export interface NewRule extends Parts {
  accountId: string
  createdBy: string
  name: string
}

/**
 * Creates a rule as the last in order. Throws the errors of `requireRule`, and `refused` if the
 * account then has too many rules.
 */
export async function createRule({ database, clock }: Deps, rule: NewRule): Promise<Rule> {
  await requireRule({ database }, rule.accountId, rule)
  return database.transaction((tx) => placeRule(tx, rule, clock()))
}

/**
 * Inserts a valid rule as the last in order. Takes the lock of the account's rules (`ruleBound`),
 * and throws `refused` if the account then has too many rules.
 */
export async function placeRule(tx: Tx, rule: NewRule, now: Date): Promise<Rule> {
  const { accountId, createdBy, name } = rule
  await lockBound(tx, ruleBound(accountId))
  const made = { accountId, ruleId: newId('rule'), name, createdAt: now, createdBy, updatedAt: now }
  const placed = await insertRule(tx, {
    conditions: {},
    actions: {},
    ...made,
    ...storedParts(rule),
  })
  await requireWithin(tx, ruleBound(accountId))
  return placed
}

/** Returns the bound on an account's rules; its lock also guards their order. */
export function ruleBound(accountId: string) {
  return {
    scope: `rules ${accountId}`,
    rows: sql.fragment`SELECT FROM rules WHERE account_id = ${accountId}`,
    max: rulesMax,
    refusal: say('RULES_MAX', { max: rulesMax }),
  }
}

/** The parts of a rule that a request states. */
interface Parts {
  conditions?: RuleConditions | undefined
  actions?: RuleActions | undefined
}

/**
 * Throws `invalid` for a rule without conditions or actions, and for unknown bank accounts and
 * envelopes. Those of the `stored` rule are accepted, although they may be deleted or closed now.
 */
export async function requireRule(
  { database }: { database: { pool: Queries } },
  accountId: string,
  { conditions, actions }: Parts,
  stored: Parts = {},
): Promise<void> {
  if (conditions) {
    requireSome({ conditions: toJson(RuleConditionsSchema, conditions) })
    requireText({ originalName: conditions.originalName?.text })
    requireText({ originalMerchantName: conditions.originalMerchantName?.text })
    const { bankAccountId, amountFrom = 0n, amountTo = amountFrom } = conditions
    if (amountTo < amountFrom) {
      throw invalid({ conditions: { amountTo: say('BELOW_AMOUNT_FROM') } })
    }
    const isStored = bankAccountId === stored.conditions?.bankAccountId
    if (
      bankAccountId &&
      !isStored &&
      !(await findNamedAccount(database, accountId, bankAccountId))
    ) {
      throw invalid({ conditions: { bankAccountId: say('BANK_ACCOUNT_UNKNOWN') } })
    }
  }
  if (!actions) return
  requireSome({ actions: toJson(RuleActionsSchema, actions) })
  const blank = findBlankTags(actions.tags)
  if (blank) throw invalid({ actions: { tags: blank } })
  for (const key of ['spendingId', 'refundSpendingId'] as const) {
    const id = actions[key]
    if (!id || id === stored.actions?.[key]) continue
    if (!(await findOwner(database, accountId, id))) {
      throw invalid({ actions: { [key]: say('ENVELOPE_GONE') } })
    }
  }
}

function requireSome(parts: Record<string, JsonValue>): void {
  for (const [key, part] of Object.entries(parts)) {
    if (Object.keys(part ?? {}).length === 0) throw invalid({ [key]: say('RULE_EMPTY') })
  }
}

/**
 * Throws `invalid` for a text of only combining marks: folding makes it blank, so that it would
 * match every text. The `*` of patterns are ignored.
 */
function requireText(texts: Record<string, string | undefined>): void {
  for (const [key, text] of Object.entries(texts)) {
    const piece = text?.replaceAll('*', '').trim() ?? ''
    const isOfStars = text !== undefined && text.trim() !== '' && piece === ''
    if (text === undefined || isOfStars || foldText(piece).trim() !== '') continue
    throw invalid({ conditions: { [key]: { text: visible } } })
  }
}

/** Returns the database columns of the stated parts. */
export function storedParts({
  conditions,
  actions,
}: Parts): Partial<Pick<Rule, 'conditions' | 'actions'>> {
  return {
    ...(conditions ? { conditions: toJson(RuleConditionsSchema, conditions) } : {}),
    ...(actions ? { actions: toJson(RuleActionsSchema, distinctActions(actions)) } : {}),
  }
}

/** Removes duplicate tags from actions; tags are compared by their folded texts. */
function distinctActions(actions: RuleActions): RuleActions {
  return { ...actions, tags: distinctTags(actions.tags) ?? [] }
}

/** Returns the message of a rule. */
export function renderRule(rule: Rule) {
  const { conditions, actions } = readParts(rule)
  return toMessage(RuleSchema, { ...rule, conditions, actions })
}
