import { startReaders } from '@coffer/sync-kit/provider/answer-readers.client'
import {
  type AnswerKind,
  type AnswerParser,
  type AnswerTask,
  type FeedAnswers,
  readAnswer,
} from './feed-answer.ts'

/** Starts the worker thread that parses large answers (`startReaders` of sync-kit). */
export function startAnswerReaders({
  module = new URL('./answer.worker.ts', import.meta.url),
  ...options
}: {
  module?: URL
  taskTimeoutMs?: number
} = {}): AsyncDisposable & { parse: AnswerParser } {
  const readers = startReaders<AnswerTask, FeedAnswers[AnswerKind]>({
    module,
    read: ({ body, kind, feedId }) => readAnswer(body, kind, feedId),
    ...options,
  })
  return {
    parse: async <Kind extends AnswerKind>(
      body: Uint8Array,
      kind: Kind,
      signal: AbortSignal,
      feedId?: string,
    ) => {
      const read = await readers.read({ body, kind, feedId }, signal)
      return read as FeedAnswers[Kind] | null | 'too-large'
    },
    [Symbol.asyncDispose]: () => readers[Symbol.asyncDispose](),
  }
}
