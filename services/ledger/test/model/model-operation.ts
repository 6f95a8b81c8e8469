/** Balances of a bank account, in cents. */
export type Pots = { current?: number; available?: number }

/** Balances as a provider states them, in cents. */
export type Stated = Pots & { limit?: number }

/** One operation; `serial` is unique. */
export type Operation = { serial: number } & (
  | ({ kind: 'create' } & Body)
  | { kind: 'createMany'; bodies: Body[] }
  | { kind: 'open'; envelope: string; isGoal: boolean }
  | { kind: 'close'; envelope: string }
  | { kind: 'fund'; lines: Line[]; deposit: Deposit | null }
  | { kind: 'endPeriod'; envelope: string; target: number; carryOver: boolean; bill: Bill | null }
  | { kind: 'forget'; schedule: string }
  | { kind: 'move'; id: string; day: number }
  | { kind: 'assign'; id: string; envelope: string | null }
  | { kind: 'amend'; id: string; amount: number }
  | { kind: 'mark'; id: string; isPending: boolean }
  | { kind: 'rename'; id: string; name: string }
  | { kind: 'note'; id: string; notes: string | null }
  | { kind: 'delete'; id: string; adjusts: boolean; soft: boolean }
  | { kind: 'transfer'; from: string | null; to: string | null; amount: number }
  | { kind: 'state'; pots: Required<Pots>; limit: number | null }
  | { kind: 'nameAccount'; name: string }
  | ({ kind: 'describe' } & Description)
  /** `file` is the index in the list of files. */
  | { kind: 'import'; file: number }
  | { kind: 'undo'; upload: number }
  | { kind: 'sync'; items: Item[] }
  | { kind: 'withdraw'; ids: string[] }
  | { kind: 'setBalances'; stated: Stated }
  | { kind: 'refresh'; stated: Stated; originalName: string }
  | { kind: 'archive' | 'deleteLink' | 'deleteAccount' }
)

export type Kind = Operation['kind']
export type Of<One extends Kind> = Extract<Operation, { kind: One }>

/** The body of a new transaction. */
export type Body = {
  amount: number
  day: number
  envelope: string | null
  adjusts: boolean
  isPending: boolean
}

export type Line = { envelope: string; amount: number; ceiling: number }

/** The deposit of a funding run; `amount` in cents that come in. */
export type Deposit = { schedule: string; amount: number; day: number }

/** The transaction of a due expense; its amount is the target. */
export type Bill = { day: number }

/** The fields of a bank account that a user states. */
export type Description = { mask: string | null; accountType: string }

/** A transaction of a provider; `pendingOf` is the ID of the pending one that it replaces. */
export type Item = {
  id: string
  amount: number
  isPending: boolean
  pendingOf: string | null
  text: string
}
