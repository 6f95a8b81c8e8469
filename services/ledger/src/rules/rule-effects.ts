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

/** The envelope that a rule names for a transaction: it pays, or gets the refund of a deposit. */
export interface RuleEnvelope {
  ruleId: string
  spendingId: string
}

/** Returns the IDs of the envelopes that rules may assign these rows to. */
export function envelopesOf(rules: CompiledRules, rows: readonly Candidate[]) {
  const named = rows.flatMap((row) => findEnvelopeOf(matchRules(rules, row), row) ?? [])
  const spendingIds = [...new Set(named.map(({ spendingId }) => spendingId))]
  const isRefund = rows.some(({ amount }) => amount < 0n)
  return { spendingIds, refundIds: isRefund ? spendingIds : [] }
}

/**
 * Returns the transaction with the texts and tags of the rules that match it, and the envelope that
 * they name; the same object if they change nothing. Of several rules the first one decides each
 * field, and tags add up. A field stays that the user has set, or that a rule decides which is not
 * chosen.
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
 * Returns the tags of a transaction with those of the chosen rules that match it, in the order of
 * the rules; null if no chosen one has tags. Present tags stay, first in the list: a tag does not
 * say which rule has set it, and a rule that no longer matches takes nothing back.
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
 * Returns the actions of rules in their order as those of one rule: the first that has a field
 * decides it, if it is chosen, and tags add up.
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

/** Results of operations on a bank account so far; the next assignment starts from them. */
export interface Settling {
  locked: Locked
  settlements: Settlements
  /**
   * Minor units that transactions took from envelopes, after these results. Without it, each
   * assignment derives it from all results, which takes quadratic time.
   */
  refundable?: Map<string, bigint>
}

/** Returns the results of no operations, for assignments alone. */
export function startSettling(current: Locked): Settling & { refundable: Map<string, bigint> } {
  const refundable = new Map(current.refundable)
  return { locked: current, settlements: startSettlements(current), refundable }
}

/**
 * Returns a transaction after its assignment to the envelope of a rule, as an operation of its own;
 * the same object if the envelope is closed, of another bank account, or that of the transaction.
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
 * The minor units that an envelope had given for a transaction, or got of a refund. Of a refund
 * `kept` is the part that it did not give back, because it had spent it, and `refundable` the
 * amount that transactions had taken from it then.
 */
export interface Restored {
  given: bigint
  kept: bigint
  refundable: bigint | null
}

/**
 * Moves a transaction from its envelope to another one, or to none, as an operation of its own.
 * The other one gives the amount, or gets the refund; with `restored` at most that. Returns null,
 * without effect, if the other one is closed or of another bank account.
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
  // The scope lacks a row that an import takes from another one: it stays unassigned.
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
  if (amount < 0n && restored) return refundAgain(started, envelope, { causeId, ...restored })
  const most = restored?.given ?? amount
  return assignTo(started, envelope, { amount: most, day, causeId, isRefund: amount < 0n })
}

function entryOf<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): [Key, Value][] {
  const value = map.get(key)
  return value === undefined ? [] : [[key, value]]
}
