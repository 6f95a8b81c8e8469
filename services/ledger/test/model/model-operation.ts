import type { FreeFields } from './model-fields.ts'

/** Balances of a bank account, in cents. */
export type Pots = { current?: number; available?: number }

/** Balances and limit as a provider states them, in cents. */
export type Stated = Pots & { limit?: number }

/** A request to the ledger in the terms of the model, with a unique serial number. */
export type Operation = { serial: number } & (
  | ({ kind: 'create' } & Body)
  | { kind: 'createMany'; bodies: Body[] }
  | { kind: 'open'; envelope: string; isGoal: boolean }
  | { kind: 'close'; envelope: string }
  | { kind: 'fund'; lines: Line[]; deposit: Deposit | null }
  | ({ kind: 'endPeriod'; envelope: string; target: number; carryOver: boolean } & Ending)
  | { kind: 'endGrace'; envelope: string; until: Until; carryOver: boolean }
  | { kind: 'skip'; envelope: string }
  | { kind: 'forget'; schedule: string }
  | { kind: 'change'; id: string; fields: Partial<Fields & { name: string }> }
  | { kind: 'delete'; id: string; adjusts: boolean; soft: boolean }
  | { kind: 'restore'; id: string }
  | { kind: 'correct'; id: string; amount: number; isPending: boolean }
  | { kind: 'transfer'; from: string | null; to: string | null; amount: number }
  | { kind: 'changeAccount'; fields: AccountFields }
  /** `file` is an index into the files of `model-files.ts`. */
  | { kind: 'import'; file: number }
  | { kind: 'undo'; upload: number }
  | { kind: 'sync'; providerRows: ProviderRow[] }
  | { kind: 'withdraw'; ids: string[] }
  | { kind: 'setBalances'; stated: Stated }
  | { kind: 'refresh'; stated: Stated; originalName: string }
  | { kind: 'archive' | 'deleteLink' | 'deleteAccount' }
)

export type Kind = Operation['kind']
export type Of<One extends Kind> = Extract<Operation, { kind: One }>

/** Fields of a transaction that its user states; `amount` in cents, `day` of January 2026. */
export type Fields = FreeFields & {
  amount: number
  day: number
  envelope: string | null
  /** Whether the envelope is named as that of a refund. */
  isRefund: boolean
  isPending: boolean
}

export type Body = Fields & { adjusts: boolean }

export type Line = { envelope: string; amount: number; ceiling: number }

/** Deposit that a funding run creates; `amount` is positive, in cents. */
export type Deposit = { schedule: string; amount: number; day: number }

/** End of a grace, after the midnight of a day of January 2026; no two have one serial number. */
export type Until = { day: number; serial: number }

/**
 * `bill` is the transaction that a due expense creates; its amount is the target of the expense.
 * `until` is null for a period without a grace.
 */
type Ending = { bill: { day: number } | null; until: Until | null }

/** Fields that a user changes in a bank account; amounts in cents, a null limit is stored as 0. */
export type AccountFields = Pots & {
  limit?: number | null
  name?: string
  mask?: string | null
  accountType?: string
}

/**
 * A transaction as a provider sends it. `pendingOf` is the ID of the pending transaction that it
 * replaces.
 */
export type ProviderRow = {
  id: string
  amount: number
  isPending: boolean
  pendingOf: string | null
  text: string
}
