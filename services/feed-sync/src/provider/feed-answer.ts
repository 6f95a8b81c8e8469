import { readJson } from '@coffer/kit/values/json'
import {
  type OfferedAccount,
  type OfferedList,
  type OfferedTransaction,
  readAccounts,
  readBalance,
  readTransactions,
  type StatedBalance,
} from './lunch-flow.ts'

/** Contents of the provider's answers, by kind. */
export interface FeedAnswers {
  accounts: OfferedList<OfferedAccount>
  balance: StatedBalance
  transactions: OfferedList<OfferedTransaction>
}

export type AnswerKind = keyof FeedAnswers

/** Parses bodies of answers; see `readAnswer`. `too-large` also means too much time. */
export type AnswerParser = <Kind extends AnswerKind>(
  body: Uint8Array,
  kind: Kind,
  signal: AbortSignal,
) => Promise<FeedAnswers[Kind] | null | 'too-large'>

const readers: { [Kind in AnswerKind]: (answer: unknown) => FeedAnswers[Kind] | null } = {
  accounts: readAccounts,
  balance: readBalance,
  transactions: readTransactions,
}

/**
 * Returns the content of an answer; null if it is not JSON of this kind, `too-large` above a
 * million tokens, about 55,000 transactions.
 */
export function readAnswer<Kind extends AnswerKind>(
  body: Uint8Array,
  kind: Kind,
): FeedAnswers[Kind] | null | 'too-large' {
  return readJson(body, readers[kind])
}
