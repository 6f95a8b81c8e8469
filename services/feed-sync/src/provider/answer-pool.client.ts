import { startWorkers } from '@coffer/kit/service/workers'
import {
  type AnswerKind,
  type AnswerParser,
  type AnswerTask,
  type FeedAnswers,
  readAnswer,
} from './feed-answer.ts'

type Read = FeedAnswers[AnswerKind] | null | 'too-large'

/** Bodies above this size, about 350 transactions, take more than a few milliseconds to parse. */
const inlineSizeMax = 64 * 1024

/**
 * Starts the worker thread that parses large answers. `parse` throws `unavailable` if the thread is
 * not free within 30 seconds. 50,000 transactions take
 * about a second, far below `taskTimeoutMs`.
 */
export function startAnswerReaders({
  module = new URL('./answer.worker.ts', import.meta.url),
  taskTimeoutMs = 10_000,
} = {}): AsyncDisposable & { parse: AnswerParser } {
  const threads = startWorkers<AnswerTask, Read>({
    module,
    threadsMax: 1,
    queueMax: 20,
    waitTimeoutMs: 30_000,
    taskTimeoutMs,
    memoryMaxMb: 256,
    exceeded: () => 'too-large',
  })
  return {
    parse: async <Kind extends AnswerKind>(
      body: Uint8Array,
      kind: Kind,
      signal: AbortSignal,
      feedId?: string,
    ) => {
      if (body.length <= inlineSizeMax) return readAnswer(body, kind, feedId)
      const read = await threads.run({ body, kind, feedId }, signal)
      return read as FeedAnswers[Kind] | null | 'too-large'
    },
    [Symbol.asyncDispose]: () => threads[Symbol.asyncDispose](),
  }
}
