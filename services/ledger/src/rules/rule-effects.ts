import { isDeepStrictEqual } from 'node:util'
import { create } from '@bufbuild/protobuf'
import { type RuleActions, RuleActionsSchema } from '@coffer/proto/ledger/v1/rule'
import type { Envelope } from '../book/envelope.ts'
import { type FieldMarks, findRuleOf, type MarkedField, sourceOf } from '../book/field-marks.ts'
import { distinctTags, tagsMax } from '../book/tags.ts'
import {
  type Assignment,
  namedEnvelope,
  type Transaction,
  unassigned,
} from '../book/transaction.ts'
import { refundableAfter } from '../money/bookings.ts'
import {
  endOperation,
  findEnvelope,
  type Locked,
  type StartedOperation,
  startOperation,
} from '../money/operation.ts'
import { addSettlement, type Settlements, startSettlements } from '../money/settlements.ts'
import { assignTo, giveBack, refundAgain } from '../money/spend.ts'
import { type Candidate, type CompiledRule, type CompiledRules, matchRules } from './rule.ts'

/** The envelope that a rule assigns to a transaction: it pays, or for a deposit gets the refund. */
export interface RuleEnvelope {
  ruleId: string
  spendingId: string
}

/** Returns the IDs of the envelopes to which rules may assign these rows. */
export function envelopesOf(rules: CompiledRules, rows: readonly Candidate[]) {
  const named = rows.flatMap((row) => findEnvelopeOf(matchRules(rules, row), row) ?? [])
  const spendingIds = [...new Set(named.map(({ spendingId }) => spendingId))]
  const isRefund = rows.some(({ amount }) => amount < 0n)
  return { spendingIds, refundIds: isRefund ? spendingIds : [] }
}

/**
 * Applies matching rules to the texts and tags of a transaction, and returns the envelope that they
 * name. Returns the same object if nothing changes. The first rule with an action for a field
 * decides the field; tags of all chosen rules are added. Fields are kept if the user has set them,
 * or if the deciding rule is not chosen (`isChosen`).
 */
export function tidyTransaction(
  rules: CompiledRules,
  transaction: Transaction,
  isRenamed: boolean,
  matching: readonly CompiledRule[] = matchRules(rules, transaction),
): { transaction: Transaction; envelope: RuleEnvelope | null } {
  const isFree = (field: MarkedField) => sourceOf(transaction, field, isRenamed).by !== 'user'
  const marks: FieldMarks = {}
  const fields: Partial<Pick<Transaction, 'name' | 'merchantName' | 'notes' | 'tags'>> = {}
  for (const field of ['name', 'merchantName', 'notes'] as const) {
    const rule = matching.find(({ actions }) => actions[field] !== undefined)
    const value = rule?.actions[field]
    if (!rule?.isChosen || value === undefined || !isFree(field)) continue
    if (value === transaction[field]) continue
    fields[field] = value
    marks[field] = { ruleId: rule.ruleId, value }
  }
  const tagger = findRuleOf(transaction, 'tags')
  const first = matching.find(({ ruleId, isChosen, actions }) => {
    return actions.tags.length > 0 && (isChosen || ruleId === tagger)
  })
  const tags = joinTags(matching, transaction.tags)
  if (first && tags && isFree('tags') && !isDeepStrictEqual(tags, transaction.tags)) {
    fields.tags = tags
    marks.tags = { ruleId: first.ruleId, value: tags }
  }
  const named = findEnvelopeOf(matching, transaction)
  const envelope = named && isFree('spendingId') ? named : null
  if (Object.keys(marks).length === 0) return { transaction, envelope }
  const fieldMarks = { ...transaction.fieldMarks, ...marks }
  return { transaction: { ...transaction, ...fields, fieldMarks }, envelope }
}

function findEnvelopeOf(
  matching: readonly CompiledRule[],
  { amount }: Pick<Candidate, 'amount'>,
): RuleEnvelope | null {
  const idOf = ({ spendingId, refundSpendingId }: RuleActions) =>
    amount < 0n ? refundSpendingId : spendingId
  for (const { ruleId, actions, isChosen } of matching) {
    const spendingId = idOf(actions)
    if (spendingId !== undefined) return isChosen ? { ruleId, spendingId } : null
  }
  return null
}

/**
 * Returns the present tags, then the tags of the chosen matching rules in rule order; null if no
 * chosen rule has tags. Present tags are never removed, even if their rule no longer matches: tags
 * do not record which rule set them.
 */
function joinTags(
  matching: readonly CompiledRule[],
  present: readonly string[] | null,
): string[] | null {
  const due = matching.flatMap(({ isChosen, actions }) => (isChosen ? actions.tags : []))
  if (due.length === 0) return null
  return distinctTags([...(present ?? []), ...due])?.slice(0, tagsMax) ?? null
}

/**
 * Merges the actions of matching rules into those of one rule. The first rule with a field decides
 * it: if that rule is not chosen, the field has no action. Tags of all chosen rules are added.
 */
export function joinActions(
  matching: readonly CompiledRule[],
  { tags: present }: Pick<Transaction, 'tags'>,
): RuleActions {
  const firstOf = (field: Exclude<keyof RuleActions, 'tags' | '$typeName' | '$unknown'>) => {
    const rule = matching.find(({ actions }) => actions[field] !== undefined)
    return rule?.isChosen ? rule.actions[field] : undefined
  }
  const tags = joinTags(matching, present) ?? []
  const named = (['name', 'merchantName', 'notes', 'spendingId', 'refundSpendingId'] as const)
    .map((field) => [field, firstOf(field)])
    .filter(([, value]) => value !== undefined)
  return create(RuleActionsSchema, { tags, ...Object.fromEntries(named) })
}

/** Accumulated results of operations on a bank account, from which the next assignment starts. */
export interface Settling {
  locked: Locked
  settlements: Settlements
  /**
   * Running sums in minor units that transactions took from each envelope. Without them, each
   * assignment derives them from all results, which takes quadratic time.
   */
  refundable?: Map<string, bigint>
}

/** Returns the initial state, with running sums, for a sequence of assignments. */
export function startSettling(current: Locked): Settling & { refundable: Map<string, bigint> } {
  const refundable = new Map(current.refundable)
  return { locked: current, settlements: startSettlements(current), refundable }
}

/**
 * Assigns a transaction to the envelope of a rule, as an operation of its own. Returns the same
 * object if the envelope is closed, of another bank account, or assigned already.
 */
export function assignByRule(
  settling: Settling,
  before: Transaction,
  { ruleId, spendingId }: RuleEnvelope,
): Transaction {
  const former = namedEnvelope(before)
  if ((former.spendingId ?? former.refundSpendingId) === spendingId) return before
  const operationId = `${settling.locked.operation.operationId}/rule/${before.transactionId}`
  const assignment = moveEnvelope(settling, before, { spendingId, operationId })
  if (assignment === null) return before
  const fieldMarks = { ...before.fieldMarks, spendingId: { ruleId, value: spendingId } }
  return { ...before, ...assignment, fieldMarks }
}

/**
 * Amounts in minor units that an undo restores. `given` is what the envelope paid for a
 * transaction, or got of a refund. For refunds, `kept` is the part of it that the envelope had
 * spent and could not give back, and `refundable` the sum that transactions had taken from the
 * envelope.
 */
export interface Restored {
  given: bigint
  kept: bigint
  refundable: bigint | null
}

/**
 * Reassigns a transaction from its envelope to `spendingId`, or to none (null), as an operation of
 * its own. The new envelope pays the amount, or gets the refund; `restored` limits both. Returns
 * null, without effect, if the new envelope is closed or of another bank account.
 */
export function moveEnvelope(
  { locked, settlements, refundable }: Settling,
  before: Transaction,
  {
    spendingId,
    operationId,
    restored,
  }: { spendingId: string | null; operationId: string; restored?: Restored | undefined },
): Assignment | null {
  const envelopes = [spendingId, before.spendingId].flatMap((id) => {
    return settlements.envelopes.current.get(id ?? '') ?? []
  })
  const started = startOperation({
    bankAccount: settlements.bankAccount,
    envelopes,
    operation: { ...locked.operation, operationId },
    refundable: refundable
      ? new Map(envelopes.flatMap((one) => entryOf(refundable, one.spendingId)))
      : refundableAfter(locked.refundable ?? new Map(), settlements.entries),
  })
  const envelope = spendingId === null ? null : findEnvelope(started, spendingId)
  // A refund gives back at most what the envelope has spent. If that sum was not read with the rows
  // of this save, the refund stays unassigned.
  const isUnread = before.amount < 0n && !started.refundable.has(spendingId ?? '')
  if (spendingId !== null && (envelope === null || isUnread)) return null
  giveBack(started, before, { cause: 'transaction', causeId: before.transactionId })
  const assignment = envelope ? assignRow(started, envelope, { row: before, restored }) : unassigned
  addSettlement(settlements, endOperation(started))
  for (const [id, amount] of refundable ? started.refundable : []) refundable?.set(id, amount)
  return assignment
}

function assignRow(
  started: StartedOperation,
  envelope: Envelope,
  { row, restored }: { row: Transaction; restored: Restored | undefined },
): Assignment {
  const { amount, date: day, transactionId: causeId } = row
  if (amount < 0n && restored) return refundAgain(started, envelope, { day, causeId, ...restored })
  const most = restored?.given ?? amount
  return assignTo(started, envelope, { amount: most, day, causeId, isRefund: amount < 0n })
}

function entryOf<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): [Key, Value][] {
  const value = map.get(key)
  return value === undefined ? [] : [[key, value]]
}
