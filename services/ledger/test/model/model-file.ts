import { dayOfRows, giveBack } from './model-envelope.ts'
import { fileAt } from './model-files.ts'
import type { Of, Pots } from './model-operation.ts'
import { balanceOf, type Model, newRow, standingStatements } from './model-state.ts'

export function importFile(model: Model, { serial, ...of }: Of<'import'>): boolean {
  const file = fileAt(of.file)
  const known = new Set(model.rows.map(({ identifier }) => identifier))
  const fresh = Object.entries(file.rows).filter(([identifier]) => !known.has(identifier))
  const asOf = Math.max(...standingStatements(model).map((one) => one.asOf))
  for (const [identifier, amount] of fresh) {
    const row = { name: identifier, amount, day: dayOfRows, identifier, upload: serial }
    model.rows.push(newRow({ key: `${serial}/${identifier}`, ...row }))
  }
  const day = file.day ?? dayOfRows
  if (fresh.length > 0 && Object.keys(file.pots).length > 0 && day > asOf) {
    const days = { current: day, available: file.availableDay ?? day }
    const pots = withAvailable(model, withLater(model, file.pots, days))
    model.history.push({ kind: 'stated', pots, asOf: day, upload: serial })
  }
  model.uploads.push(serial)
  return true
}

/**
 * Undoes an import. Returns whether the server accepts it. A repetition is accepted without effect,
 * in an archived account too.
 */
export function undo(model: Model, { upload }: Of<'undo'>): boolean {
  if (!model.uploads.includes(upload)) return false
  if (model.undone.includes(upload)) return true
  if (model.stage === 'archived') return false
  model.undone.push(upload)
  const undone = model.rows.filter((one) => one.upload === upload && !one.isDeleted)
  // Payments are given back before refunds are reversed.
  for (const row of undone.toSorted((a, b) => Number(a.isRefund) - Number(b.isRefund))) {
    if (row.taken > 0) model.paths.push('undone from an envelope')
    giveBack(model.envelopes, row)
  }
  model.rows = model.rows.filter((row) => row.upload !== upload)
  return true
}

/** Returns the balances of a file, each plus the amounts of transactions dated after its day. */
function withLater({ history }: Model, pots: Pots, days: Required<Pots>): Pots {
  const added = history.filter((one) => one.kind === 'added')
  const sumOf = (pot: keyof Pots) =>
    added.reduce((sum, one) => sum + (one.day > days[pot] ? (one.pots[pot] ?? 0) : 0), 0)
  const sums = Object.keys(pots).map((pot) => {
    const name = pot as keyof Pots
    return [name, (pots[name] ?? 0) + sumOf(name)]
  })
  return Object.fromEntries(sums)
}

/** Returns the balances with the available one, which moves with a current one that is alone. */
function withAvailable(model: Model, pots: Pots): Pots {
  const { current, available } = pots
  if (current === undefined || available !== undefined) return pots
  const moved = current - balanceOf(model, 'current')
  return { ...pots, available: balanceOf(model, 'available') + moved }
}
