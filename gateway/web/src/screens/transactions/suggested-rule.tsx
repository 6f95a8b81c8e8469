import { useQuery } from '@tanstack/react-query'
import type { Transaction } from '../../api/budget-queries.ts'
import { ruleSuggestionQuery } from '../../api/rule-queries.ts'
import { Card } from '../../controls/screen.tsx'
import { suggestionWords as words } from '../../words/rule-suggestions.ts'
import { useKnown } from '../rules/names.ts'
import { Suggestion } from '../rules/suggestion.tsx'

/**
 * A suggested rule that repeats the user's changes for similar transactions; nothing without one.
 */
export function SuggestedRule({ transaction }: { transaction: Transaction }) {
  const { bankAccountId, transactionId } = transaction
  const { data } = useQuery(ruleSuggestionQuery(bankAccountId, transactionId))
  const known = useKnown()
  if (!data) return null
  return (
    <Card title={words.ofThis}>
      <Suggestion key={data.ruleSuggestionId} suggestion={data} known={known} />
    </Card>
  )
}
