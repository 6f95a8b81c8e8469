import { startWorkers } from './workers.ts'

type Content<Answers, Kind extends keyof Answers> = Answers[Kind] | null | 'too-large'

/**
 * Reads the body of a provider's answer; `Answers` has the content of each kind of answer. Null if
 * it is not of this kind, `too-large` beyond the bounds of `readJson`.
 */
type AnswerReader<Answers> = <Kind extends keyof Answers>(
  body: Uint8Array,
  kind: Kind,
) => Content<Answers, Kind>

/** Like `AnswerReader`, without blocking the event loop; `too-large` also means too much time. */
export type JsonParser<Answers> = <Kind extends keyof Answers>(
  body: Uint8Array,
  kind: Kind,
  signal: AbortSignal,
) => Promise<Content<Answers, Kind>>

/** Bodies above this size, about 350 transactions, take more than a few milliseconds to parse. */
const inlineSizeMax = 64 * 1024

/**
 * Starts the worker thread that reads large answers. Its `module` exports `run({ body, kind })`,
 * which calls `read`. `parse` throws unavailable if the thread is not free within 30 seconds.
 * 50,000 transactions take about a second, far below `taskTimeoutMs`.
 */
export function startJsonReaders<Answers>({
  module,
  read,
  taskTimeoutMs = 10_000,
}: {
  module: URL
  read: AnswerReader<Answers>
  taskTimeoutMs?: number
}): AsyncDisposable & { parse: JsonParser<Answers> } {
  type Kind = keyof Answers
  const threads = startWorkers<{ body: Uint8Array; kind: Kind }, Content<Answers, Kind>>({
    module,
    threadsMax: 1,
    queueMax: 20,
    waitTimeoutMs: 30_000,
    taskTimeoutMs,
    memoryMaxMb: 256,
    exceeded: () => 'too-large',
  })
  return {
    parse: async <Kind extends keyof Answers>(
      body: Uint8Array,
      kind: Kind,
      signal: AbortSignal,
    ) => {
      if (body.length <= inlineSizeMax) return read(body, kind)
      return (await threads.run({ body, kind }, signal)) as Content<Answers, Kind>
    },
    [Symbol.asyncDispose]: () => threads[Symbol.asyncDispose](),
  }
}
