import { startWorkers } from '@coffer/kit/service/workers'
import type { PlaidMethod } from './call-limit.ts'
import { type PlaidAnswers, readAnswer } from './plaid-answer.ts'

/** Reads bodies of answers like `readAnswer`; `too-large` also means too much time. */
export type AnswerParser = <Method extends PlaidMethod>(
  body: Uint8Array,
  kind: Method,
  signal: AbortSignal,
) => Promise<PlaidAnswers[Method] | null | 'too-large'>

/** Bodies above this size, about 40 transactions, take more than a few milliseconds to read. */
const inlineSizeMax = 64 * 1024

/**
 * Starts the worker thread that reads large answers. `parse` throws unavailable if the thread is
 * not free within 30 seconds.
 */
export function startAnswerReaders(): AsyncDisposable & { parse: AnswerParser } {
  const threads = startWorkers<{ body: Uint8Array; kind: PlaidMethod }, unknown>({
    module: new URL('./plaid-answer.worker.ts', import.meta.url),
    threadsMax: 1,
    queueMax: 20,
    waitTimeoutMs: 30_000,
    taskTimeoutMs: 10_000,
    memoryMaxMb: 256,
    exceeded: () => 'too-large',
  })
  return {
    parse: async <Method extends PlaidMethod>(
      body: Uint8Array,
      kind: Method,
      signal: AbortSignal,
    ) => {
      if (body.length <= inlineSizeMax) return readAnswer(body, kind)
      const read = await threads.run({ body, kind }, signal)
      return read as PlaidAnswers[Method] | null | 'too-large'
    },
    [Symbol.asyncDispose]: () => threads[Symbol.asyncDispose](),
  }
}
