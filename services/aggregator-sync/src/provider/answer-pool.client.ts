import { startReaders } from '@coffer/sync-kit/provider/answer-readers.client'
import type { PlaidMethod } from './call-limit.ts'
import { type PlaidAnswers, readAnswer } from './plaid-answer.ts'

/** Parses bodies of answers (`readAnswer`). Returns `too-large` also if parsing takes too long. */
export type AnswerParser = <Method extends PlaidMethod>(
  body: Uint8Array,
  kind: Method,
  signal: AbortSignal,
) => Promise<PlaidAnswers[Method] | null | 'too-large'>

/** Starts the worker thread that parses large answers (`startReaders` of sync-kit). */
export function startAnswerReaders(): AsyncDisposable & { parse: AnswerParser } {
  const readers = startReaders<{ body: Uint8Array; kind: PlaidMethod }, unknown>({
    module: new URL('./plaid-answer.worker.ts', import.meta.url),
    read: ({ body, kind }) => readAnswer(body, kind),
  })
  return {
    parse: async <Method extends PlaidMethod>(
      body: Uint8Array,
      kind: Method,
      signal: AbortSignal,
    ) => {
      const read = await readers.read({ body, kind }, signal)
      return read as PlaidAnswers[Method] | null | 'too-large'
    },
    [Symbol.asyncDispose]: () => readers[Symbol.asyncDispose](),
  }
}
