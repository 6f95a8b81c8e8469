import { useNavigate } from '@tanstack/react-router'
import { showNote } from '../../api/notes.ts'
import { useRest } from '../../shell/chosen-account.ts'
import { envelopeWords } from '../../words/envelopes.ts'
import { transactionWords as words } from '../../words/transactions.ts'

/** Returns a function that warns that a payment has made free-to-use negative, with a next step. */
export function useOverdrawnNote(bankAccountId: string): (amount: string) => void {
  const navigate = useNavigate()
  const search = { account: bankAccountId }
  const work = () => navigate({ to: '/envelopes', search, state: { opened: 'move' } })
  const rest = useRest(bankAccountId)
  return (amount) =>
    showNote({ text: words.overdrawn({ amount, rest }), act: { text: envelopeWords.move, work } })
}
