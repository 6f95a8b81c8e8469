import type { ChangeTransactionsData, ChangeTransactionsResponses } from '@coffer/client/types'
import { bulkWords as words } from '../words/bulk.ts'
import type { Transaction } from './budget-queries.ts'
import { coffer } from './client.ts'
import { refusalOf } from './faults.ts'
import { type Note, showNote } from './notes.ts'

/** Maximum number of transactions of a request (docs/money/bulk.md). */
export const bulkMax = 500

/** Transactions by their IDs. */
export type Chosen = ReadonlyMap<string, Transaction>

/** The change of all chosen transactions: one of `set`, `correct`, `delete` and `restore`. */
export type BulkChange = Omit<ChangeTransactionsData['body'], 'items' | 'filter'>

type Results = ChangeTransactionsResponses[200]['results']

/** A refused transaction: its name, and the reason as a sentence. */
export interface Refusal {
  transactionId: string
  name: string
  reason: string
}

/**
 * Changes 1 to 500 transactions of a bank account as one operation. Shows a note with an undo, and
 * with what `noteOf` returns for the changed transactions. Returns the refused transactions.
 */
export async function changeMany(
  bankAccountId: string,
  chosen: Chosen,
  change: BulkChange,
  noteOf: (changed: Transaction[]) => Note | null = () => null,
): Promise<Refusal[]> {
  const body = { items: [...chosen.keys()], ...change }
  const { data } = await coffer.changeTransactions({ path: { bankAccountId }, body })
  const refused = refusalsOf(data.results, chosen)
  const changed = data.results.flatMap(({ transaction }) => transaction ?? [])
  const note = noteOf(changed)
  const said = [words.changed(chosen.size - refused.length, chosen.size), note?.text]
  const text = said.filter(Boolean).join(' ')
  showNote({
    ...note,
    text,
    ...(data.operationId ? { act: undoOf(data.operationId, chosen) } : {}),
  })
  return refused
}

/**
 * Changes one transaction as an operation, and shows the note that `noteOf` returns, with an undo;
 * no note if that is null.
 */
export async function changeOne(
  transaction: Transaction,
  set: BulkChange['set'],
  noteOf: (changed: Transaction) => Note | null,
): Promise<void> {
  const { bankAccountId, transactionId } = transaction
  const body = { items: [transactionId], ...(set ? { set } : {}) }
  const { data } = await coffer.changeTransactions({ path: { bankAccountId }, body })
  const chosen = new Map([[transactionId, transaction]])
  const [refused] = refusalsOf(data.results, chosen)
  const changed = data.results[0]?.transaction ?? transaction
  const note = refused ? { text: `${refused.name}: ${refused.reason}` } : noteOf(changed)
  if (note === null) return
  showNote({ ...note, ...(data.operationId ? { act: undoOf(data.operationId, chosen) } : {}) })
}

function undoOf(bulkOperationId: string, chosen: Chosen): Note['act'] {
  const work = async () => {
    const { data } = await coffer.undoOperation({ path: { bulkOperationId } })
    const left = refusalsOf(data.results, chosen).map(({ name }) => name)
    if (left.length > 0) showNote({ text: words.left(left) })
  }
  return { text: words.undo, work }
}

function refusalsOf(results: Results, chosen: Chosen): Refusal[] {
  return results.flatMap(({ transactionId, error, ...refused }) => {
    if (error === undefined) return []
    const { name = null, originalName = '' } = chosen.get(transactionId) ?? {}
    return { transactionId, name: name ?? originalName, reason: refusalOf({ ...refused, error }) }
  })
}
