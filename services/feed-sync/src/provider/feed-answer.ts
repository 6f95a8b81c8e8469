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

/** An answer to parse; `feedId` is set if the call is about one bank account. */
export interface AnswerTask {
  body: Uint8Array
  kind: AnswerKind
  feedId: string | undefined
}

/** Parses bodies of answers (`readAnswer`). Returns `too-large` also if parsing takes too long. */
export type AnswerParser = <Kind extends AnswerKind>(
  body: Uint8Array,
  kind: Kind,
  signal: AbortSignal,
  feedId?: string,
) => Promise<FeedAnswers[Kind] | null | 'too-large'>

type Reader<Kind extends AnswerKind> = (
  answer: unknown,
  feedId: string | undefined,
) => FeedAnswers[Kind] | null

const readers: { [Kind in AnswerKind]: Reader<Kind> } = {
  accounts: readAccounts,
  balance: readBalance,
  transactions: readTransactions,
}

/**
 * Returns the content of an answer; null if it is not JSON of this kind, `too-large` above a
 * million JSON tokens, which are about 55,000 transactions. `feedId`: the bank account of the
 * transactions.
 */
export function readAnswer<Kind extends AnswerKind>(
  body: Uint8Array,
  kind: Kind,
  feedId?: string,
): FeedAnswers[Kind] | null | 'too-large' {
  return readJson(body, (answer) => readers[kind](answer, feedId))
}
