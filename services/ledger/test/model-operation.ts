/** Balances in cents. */
export type Pots = { current?: number; available?: number }

/** One operation; `serial` tells it from all others. */
export type Operation = { serial: number } & (
  | ({ kind: 'create' } & Body)
  | { kind: 'createMany'; bodies: Body[] }
  | { kind: 'open'; envelope: string; isGoal: boolean }
  | { kind: 'close'; envelope: string }
  | { kind: 'fund'; lines: { envelope: string; amount: number; ceiling: number }[] }
  | { kind: 'endPeriod'; envelope: string; target: number; carryOver: boolean }
  | { kind: 'move'; id: string; day: number }
  | { kind: 'assign'; id: string; envelope: string | null }
  | { kind: 'amend'; id: string; amount: number }
  | { kind: 'delete'; id: string; adjusts: boolean; soft: boolean }
  | { kind: 'transfer'; from: string | null; to: string | null; amount: number }
  | { kind: 'state'; pots: Pots }
  | { kind: 'import'; file: FileOfRows }
  | { kind: 'undo'; upload: number }
  | { kind: 'sync'; items: Record<string, number> }
)

/** What a request says of a new transaction. */
export type Body = {
  amount: number
  day: number
  envelope: string | null
  adjusts: boolean
  isPending: boolean
}

/**
 * Rows by identifier, in cents that leave the account; `day` is that of its balances, null where
 * they have none; `availableDay` is that of the available balance where it differs.
 */
export type FileOfRows = {
  rows: Record<string, number>
  pots: Pots
  day: number | null
  availableDay?: number
}
